"""Speech, pictures of clothes and a long text, out of Debian packages: downloaded and unpacked, not installed.

    python tests/models/fetch.py FOLDER

No root is needed and nothing of the system changes: apt's lists and cache are kept in the folder, too.
Where apt is absent or cannot reach its archive this is said, and the tests that need the files are skipped.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.models.bible import unpacked

PACKAGES = ("alsa-utils", "bible-kjv-text", "dataset-fashion-mnist")


def apt(folder: Path, *words: str) -> None:
    """Run apt-get on lists and a cache in a folder of ours."""
    own: list[str] = []
    for option, name in (("Dir::State::lists", "lists"), ("Dir::Cache", "cache")):
        (folder / name / "partial").mkdir(parents=True, exist_ok=True)
        own += ["-o", f"{option}={folder / name}"]
    quiet = ["-qq", "-o", "APT::Sandbox::User=", "-o", "Acquire::Languages=none", "-o", "Acquire::Retries=3"]
    subprocess.run(["apt-get", *own, *quiet, *words], cwd=folder, check=True, timeout=300)


def fetch(target: Path) -> None:
    """Download the packages and unpack them under `target`."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        apt(folder, "update")
        apt(folder, "download", *PACKAGES)
        for package in sorted(folder.glob("*.deb")):
            subprocess.run(["dpkg", "-x", str(package), str(target)], check=True)
    packed = (target / "usr/lib/bible.data").read_bytes()
    (target / "bible.txt").write_text(unpacked(packed), encoding="utf-8")


def main(argv: Sequence[str]) -> int:
    """0 also where there is no apt: the tests say what they miss."""
    target = Path(argv[0])
    missing = [command for command in ("apt-get", "dpkg") if shutil.which(command) is None]
    if missing:
        print(f"no {' and no '.join(missing)}: the tests on {', '.join(PACKAGES)} will be skipped")
        return 0
    try:
        fetch(target)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"{error}: the tests on {', '.join(PACKAGES)} will be skipped")
        return 0
    print(f"{', '.join(PACKAGES)}: unpacked into {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
