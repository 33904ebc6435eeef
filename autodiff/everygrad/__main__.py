"""python -m everygrad: the commands of the library."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

COMMANDS = {
    "conformance": ("everygrad.conformance.command", "run the suite on a backend and print its scorecard"),
    "reference": ("everygrad.reference", "print every op of the contract as a page"),
    "demo": ("everygrad.demo", "train a small network on handwritten digits"),
}


def usage() -> str:
    """What can be written."""
    lines = ["usage: python -m everygrad COMMAND ...", ""]
    lines += [f"  {name:<12} {words}" for name, (_, words) in COMMANDS.items()]
    return "\n".join([*lines, "", "python -m everygrad COMMAND --help says more about each"])


def main(argv: Sequence[str] | None = None) -> int:
    """Hand over to a command; its module is imported only then."""
    args = list(sys.argv[1:] if argv is None else argv)
    if not args or args[0] in ("-h", "--help"):
        print(usage())
        return 0 if args else 2
    if args[0] not in COMMANDS:
        print(f"unknown command {args[0]!r}\n\n{usage()}", file=sys.stderr)
        return 2
    try:
        module = importlib.import_module(COMMANDS[args[0]][0])
        return int(module.command(args[1:]))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130  # 128 + SIGINT, as shells say


if __name__ == "__main__":
    sys.exit(main())
