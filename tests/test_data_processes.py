"""Worker processes end with the main one, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and /dev/shm")

SCRIPT = """
import os, sys, time
import numpy as np
import everygrad as eg

class Slow(eg.data.Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, index):
        time.sleep(0.05)
        return np.zeros(50_000)

if __name__ == "__main__":
    try:
        for i, batch in enumerate(eg.data.DataLoader(Slow(), 2, num_workers=3)):
            if i == 1:
                import multiprocessing
                print(os.getpid(), *[c.pid for c in multiprocessing.active_children()], flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except OSError:
        return False


@POSIX
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_workers_end_with_the_main_process(tmp_path: Path, number: int, code: int) -> None:
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(SCRIPT))
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    main, *workers = map(int, process.stdout.readline().split())
    assert len(workers) == 3
    if number == signal.SIGINT:
        os.killpg(main, number)  # as a terminal does
    else:
        os.kill(main, number)
    said, errors = process.communicate(timeout=20)
    assert process.returncode == code
    if code > 0:
        assert said == "interrupted\n" and errors == ""
    deadline = time.monotonic() + 10
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, workers))
    shared = Path("/dev/shm")
    while shared.is_dir() and list(shared.glob(f"eg-{main}-*")) and time.monotonic() < deadline:
        time.sleep(0.05)  # after a kill the tracker of the system library removes what is left
    assert not (shared.is_dir() and list(shared.glob(f"eg-{main}-*")))
