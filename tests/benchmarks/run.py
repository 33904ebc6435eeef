"""The benchmark: everygrad beside the libraries it runs on and its peers, alternating in one run.

    python tests/benchmarks/run.py [--backend NAME] [--peers torch,jax,autograd,mygrad] [--only N] [--quick]

Work: 1 a scalar function, 2 a chain of 300 ops, 3 an MLP, 4 LeNet, 5 ResNet-18, 6 a transformer encoder, 7 an LSTM,
8 module ops one by one, 9 memory and starting up. Single-threaded unless --threads says otherwise. Each ratio is the
median of the ratios of neighbouring samples; the exit code is 1 where one lies over its target.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

PEERS = ("torch", "jax", "autograd", "mygrad")


def options_of(argv: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--backend", default="", help="ours over this array library alone: torch or numpy")
    parser.add_argument(
        "--peers", default=",".join(PEERS), help="beside these; one that is missing is left out"
    )
    parser.add_argument(
        "--only", default="", help="numbers of the work, such as 3 or 1,2, or a part of its name"
    )
    parser.add_argument("--quick", action="store_true", help="few rounds: a look, not a measurement")
    parser.add_argument("--rounds", type=int, default=20, help="alternations")
    parser.add_argument("--threads", type=int, default=1, help="0 for all cores")
    parser.add_argument("--json", default="", help="write all figures to this file")
    parser.add_argument("--plot", default="", help="draw them into this file")
    parser.add_argument("--page", default="", help="write the table into this page, docs/performance.md")
    return parser.parse_args(argv)


def set_threads(count: int) -> int:
    """Before any array library is imported."""
    count = count or os.cpu_count() or 1
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(count)
    os.environ["XLA_FLAGS"] = (
        f"--xla_cpu_multi_thread_eigen={'true' if count > 1 else 'false'} intra_op_parallelism_threads={count}"
    )
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    return count


def choose(options: argparse.Namespace) -> Callable[[str], bool]:
    """Which sides take part: those asked for and installed."""
    from tests.benchmarks.report import installed

    peers = [p for p in str(options.peers).split(",") if p]
    unknown = [p for p in peers if p not in PEERS]
    if unknown:
        sys.exit(f"--peers: unknown {', '.join(unknown)}. Write some of {','.join(PEERS)}")
    missing = [p for p in peers if installed(p) == "not installed"]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}. Write: pip install 'everygrad[bench]'")
    ours = [f"everygrad/{options.backend}"] if options.backend else ["everygrad/torch", "everygrad/numpy"]
    sides = {*ours, *(p for p in peers if p not in missing)}
    return lambda side: side in sides


def main(argv: list[str]) -> int:
    """Run, print, write; 1 where a target is missed."""
    options = options_of(argv)
    threads = set_threads(options.threads)
    sys.path.insert(0, str(Path(__file__).parents[2]))
    chosen = choose(options)
    import torch

    from tests.benchmarks.report import line, machine, plot, table, write_json, write_page
    from tests.benchmarks.timing import Result, measure
    from tests.benchmarks.works import chain, modules, networks, scalar, whole

    torch.set_num_threads(threads)
    rounds = 5 if options.quick else options.rounds
    about = machine(threads)
    print(about)
    wanted = [w for w in str(options.only).split(",") if w]
    results: list[Result] = []
    for case in [*scalar.cases(), *chain.cases(), *networks.cases(), *modules.cases()]:
        if not wanted or any(w == str(case.number) or (not w.isdigit() and w in case.name) for w in wanted):
            results.append(measure(case, rounds, chosen))
            print(line(results[-1]), flush=True)
    if not wanted or "9" in wanted:
        for result in whole.results(rounds, chosen):
            results.append(result)
            print(line(result), flush=True)
    if options.json:
        write_json(options.json, results, about)
    if options.plot:
        plot(options.plot, results)
    if options.page:
        write_page(options.page, f"Measured on {about}.\n\n{table(results)}")
    missed = [f"{r.name}: {' / '.join(pair)}" for r in results for pair, q in r.ratios.items() if q.missed]
    print("\n".join(["over the target:", *missed]) if missed else "all within their targets")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
