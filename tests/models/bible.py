"""The text in Debian's bible-kjv-text: windows of 65,536 characters, each compressed as by compress(1).

Source of the form: Welch, "A technique for high-performance data compression", 1984, with codes of 9 to 16 bits,
lowest bit first, in groups of eight.
"""

from __future__ import annotations

from itertools import pairwise

MAGIC = b"\x1f\x9d"
COUNT = 88  # where the file says how many windows there are; their places follow
CLEAR = 256


def unpacked(data: bytes) -> str:
    """The whole text, from the bytes of bible.data."""
    numbers = [int.from_bytes(data[at : at + 4], "big") for at in range(COUNT, data.index(MAGIC), 4)]
    places = [*numbers[1 : 1 + numbers[0]], len(data)]
    most = data[places[0] - 1] & 31
    return b"".join(window(data[a:b], most) for a, b in pairwise(places)).decode("latin-1")


def window(packed: bytes, most: int) -> bytes:
    """One window; its codes grow up to `most` bits."""
    fresh = [bytes([i]) for i in range(256)] + [b""]  # 256 is the code that clears the table
    table, result = list(fresh), list[bytes]()
    place, group, width, before = (
        0,
        0,
        9,
        b"",
    )  # places in bits; a group of eight codes begins at a whole byte
    while place + width <= 8 * len(packed):
        bits = int.from_bytes(packed[place // 8 : place // 8 + 4], "little") >> place % 8
        code = bits & ((1 << width) - 1)
        place += width
        if code == CLEAR:
            place += -(place - group) % (8 * width)  # the rest of the group is not used
            table, width, before, group = list(fresh), 9, b"", place
            continue
        found = table[code] if code < len(table) else before + before[:1]
        result.append(found)
        if before and len(table) < 1 << most:
            table.append(before + found[:1])
        if len(table) == 1 << width and width < most:
            place += -(place - group) % (8 * width)
            width, group = width + 1, place
        before = found
    return b"".join(result)
