"""Ways to damage a file: as bytes, as gzip data, as JSON; each decided by a seeded ``Random``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from random import Random
from typing import Any

NUMBERS: tuple[Any, ...] = (
    *(0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**40, 10**400),
    *(0.0, -0.0, 0.5, 1e-9, 1e15, 1.9e15, -1e15, 1e18, 9.3e18, 1.7e308, -1.7e308),
    *(float("nan"), float("inf"), float("-inf")),
)
TEXTS = (
    *("", " ", "0", "-1", "\x00", "\n", "é中文", "\ud800", "x" * 100_000, "None", "NaN", "%s{}"),
    *("AIC_1", "AIV_99999999999", "AIC_", "AICPU_0", "HUB_0", "Fake Core_0", "AI-CPU_1", "aic"),
    *("0-0-0-0-0()", "9" * 30, "-".join("9" * 30) + "()", "Task:[0-0-0], rootHash:1"),
    *("Task:r1t3, FuncId:7, CoreId:5", "2: [t1, t2]", "[" * 5000, "{" * 300 + "}" * 300),
    *("Worker View", "Machine View", "AICPU View", "machine-view-last-dep"),
)
SHAPES: tuple[Any, ...] = (None, True, False, [], {}, [[]], [None], {"": None}, [1, "a", None])
TOKENS = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\x00", b"\xff", b"\xed\xa0\x80", b"\n"),
    *(
        b"NaN",
        b"-Infinity",
        b"null",
        b"1e999",
        b"-",
        b"0x1",
        b"18446744073709551616",
        b"\xef\xbb\xbf",
    ),
    *(b"/*", b"'", b"\\ud800", b"\\u0000", b"1" * 5000, b"[" * 3000, b'{"a":' * 500),
)

#: A step below a JSON value: the container and the key or index in it.
Place = tuple[Any, Any]


def mutate_bytes(random: Random, data: bytes) -> bytes:
    """Flips, cuts, copies, moves and inserts, one to four times."""
    text = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        if not text:
            break
        at = random.randrange(len(text))
        length = min(len(text) - at, random.choice((1, 2, 8, 60, 400, 3000)))
        piece = bytes(text[at : at + length])
        to = random.randrange(len(text) + 1)
        match random.randrange(8):
            case 0:
                text[at] ^= 1 << random.randrange(8)
            case 1:
                del text[at : at + length]
            case 2:
                text[to:to] = piece
            case 3:
                text[at : at + length] = random.choice(TOKENS)
            case 4:
                text[to:to] = random.choice(TOKENS)
            case 5:
                del text[at:]
            case 6:
                del text[at : at + length]
                text[min(to, len(text)) : min(to, len(text))] = piece
            case _:
                text[at : at + length] = random.randbytes(length)
    return bytes(text)


def mutate_gzip(random: Random, data: bytes) -> bytes:
    """Packs the file in one or two members and damages that, or hides damage inside."""
    if random.random() < 0.3:
        return gzip.compress(mutate_bytes(random, data), 1, mtime=0)
    cut = random.randrange(len(data) + 1)
    members = [gzip.compress(part, 1, mtime=0) for part in (data[:cut], data[cut:])]
    return mutate_bytes(random, b"".join(members))


def mutate_json(random: Random, data: bytes) -> bytes:
    """Changes values, keys and order, one to six times; the result is JSON, or nearly so.

    Two thirds keep the types, so that many files are read to their end.
    """
    changes = random.choice((_ROUGH, _GENTLE, _GENTLE))
    holder = [json.loads(data)]
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        if not holder:
            break
        random.choice(changes)(random, *_place(random, holder))
    text = json.dumps(holder[0] if holder else None, indent=random.choice((None, None, None, 1)))
    return text.encode()


def _place(random: Random, holder: list[Any]) -> Place:
    """A place in the document; each level is as likely as the next to be it."""
    container: Any = holder
    while True:
        key = _key(random, container)
        inner = container[key]
        if not isinstance(inner, (dict, list)) or not inner or random.random() < 0.12:
            return container, key
        container = inner


def _key(random: Random, container: Any) -> Any:
    if isinstance(container, dict):
        return random.choice(list(container))
    return random.randrange(len(container))


def _replace(random: Random, container: Any, key: Any) -> None:
    pool: tuple[Any, ...] = random.choice((NUMBERS, NUMBERS, TEXTS, SHAPES))
    value = random.choice(pool)
    container[key] = json.loads(json.dumps(value))


def _retype(random: Random, container: Any, key: Any) -> None:
    value = container[key]
    container[key] = random.choice(
        (str(value)[:200], [value], {"value": value}, bool(value), None, len(str(value)))
    )


def _nudge(random: Random, container: Any, key: Any) -> None:
    """A number or text near what it was: the file stays plausible."""
    value = container[key]
    if isinstance(value, str) and value:
        at = random.randrange(len(value))
        container[key] = value[:at] + random.choice(("", "0", "1", "-", "é")) + value[at + 1 :]
    elif isinstance(value, int):
        step = random.choice((1, -1, 2, -20, 10**3, -(10**6), 10**12))
        container[key] = random.choice((value + step, -value, value * 20, 0))
    elif isinstance(value, float) and abs(value) < 1e300:
        step = random.choice((0.02, -0.02, 1.0, -1e3, 1e6, 1e12, 1e-4))
        container[key] = random.choice((value + step, -value, value * 20, 0.0))
    else:
        _swap(random, container, key)


def _drop(random: Random, container: Any, key: Any) -> None:
    del container[key]


def _drop_item(random: Random, container: Any, key: Any) -> None:
    if isinstance(container, list):
        del container[key]
    else:
        _nudge(random, container, key)


def _extreme(random: Random, container: Any, key: Any) -> None:
    """Another number for a number, another text for a text."""
    value = container[key]
    if isinstance(value, str):
        container[key] = random.choice(TEXTS)
    elif isinstance(value, float):
        container[key] = float(random.choice(NUMBERS[:8] + NUMBERS[11:]))
    elif isinstance(value, int):
        container[key] = random.choice(NUMBERS[:10])


def _copy(random: Random, container: Any, key: Any) -> None:
    """The value of another place of its kind."""
    container[key] = json.loads(json.dumps(container[_key(random, container)]))


def _double(random: Random, container: Any, key: Any) -> None:
    value = json.loads(json.dumps(container[key]))
    if isinstance(container, list):
        container.insert(random.randrange(len(container) + 1), value)
    else:
        container[f"{key} too"] = value


def _swap(random: Random, container: Any, key: Any) -> None:
    if isinstance(container, list):
        random.shuffle(container)
    else:
        other = random.choice(list(container))
        container[key], container[other] = container[other], container[key]


def _rename(random: Random, container: Any, key: Any) -> None:
    if isinstance(container, dict):
        container[random.choice(TEXTS)] = container.pop(key)
    else:
        _drop(random, container, key)


def _cut(random: Random, container: Any, key: Any) -> None:
    """Everything from here on, or before, is gone."""
    if isinstance(container, list):
        kept = slice(0, key) if random.random() < 0.5 else slice(key, None)
        container[:] = container[kept]
    else:
        for one in list(container)[: random.randrange(len(container)) + 1]:
            del container[one]


_Change = Callable[[Random, Any, Any], None]
_ROUGH: tuple[_Change, ...] = (_replace, _replace, _retype, _rename, _cut, _drop, _double, _copy)
_GENTLE: tuple[_Change, ...] = (_nudge, _nudge, _nudge, _drop_item, _double, _swap, _extreme)


def mutate_lines(random: Random, data: bytes) -> bytes:
    """Lines of comma-separated fields: lost, doubled, moved, or with a field changed."""
    lines = data.decode().splitlines()
    for _ in range(random.choice((1, 1, 2, 5))):
        if not lines:
            break
        at = random.randrange(len(lines))
        match random.randrange(5):
            case 0:
                del lines[at]
            case 1:
                lines.insert(random.randrange(len(lines)), lines[at])
            case 2:
                random.shuffle(lines)
            case _:
                fields = lines[at].split(",")
                fields[random.randrange(len(fields))] = str(random.choice((*NUMBERS, *TEXTS)))
                lines[at] = ",".join(fields)
    return "\n".join(lines).encode("utf-8", "surrogatepass")
