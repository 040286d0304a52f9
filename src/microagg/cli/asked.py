"""What the texts of options mean: names, and what is said of a name."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from microagg.errors import Faults, InputError

Value = TypeVar("Value")

_OF_NAME = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^="]*?))\s*=(?P<said>.*)', re.DOTALL)


def names(texts: Sequence[str]) -> list[str]:
    """Return the names in some options, each read as a line of CSV.

    >>> names(["staff", '"turnover, net",wages'])
    ['staff', 'turnover, net', 'wages']
    """
    try:
        lines = [_parted(text, ",") for text in texts]
    except csv.Error:
        raise InputError(
            f"cannot read the names {', '.join(map(repr, texts))}: put a name that holds a comma or a line "
            "break in double quotes, and write a double quote in it twice"
        ) from None
    return [name for line in lines for name in line or [""]]


def names_or_rest(texts: Sequence[str]) -> list[str] | Literal["rest"]:
    """Return the names in some options, or the word for all that were not named."""
    found = names(texts)
    return "rest" if found == ["rest"] else found


def by_name(
    option: str, texts: Sequence[str], expected: str, value_of: Callable[[str], Value]
) -> dict[str, Value]:
    """Return what is said of each name, as in NAME=VALUE; raises InputError with all that is wrong.

    >>> by_name("--importance", ["turnover=2"], "a number", float)
    {'turnover': 2.0}
    """
    faults = Faults()
    found: dict[str, Value] = {}
    for text in texts:
        parts = _OF_NAME.fullmatch(text)
        if not parts:
            faults.append(f"{option} {text!r}: expected NAME={expected}")
            continue
        name = parts["bare"] if parts["quoted"] is None else parts["quoted"].replace('""', '"')
        if name in found:
            faults.append(f"{option} names column {name!r} twice: name it once")
        try:
            found[name] = value_of(parts["said"].strip())
        except (ValueError, csv.Error):
            faults.append(f"{option} {text!r}: expected NAME={expected}, found {parts['said'].strip()!r}")
    InputError.raise_any(faults)
    return found


def methods(texts: Sequence[str]) -> list[str]:
    """Return the methods in some options, parted by the commas that are in no brackets.

    >>> methods(["mdav, refined(vmdav(gamma=0.2), iterations=100)"])
    ['mdav', 'refined(vmdav(gamma=0.2), iterations=100)']
    """
    return [method.strip() for text in texts for method in _outside_brackets(text)]


def _outside_brackets(text: str) -> list[str]:
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def whole_numbers(option: str, texts: Sequence[str]) -> list[int]:
    """Return the numbers in some options; raises InputError with all that are none.

    >>> whole_numbers("-k", ["3,5", "10"])
    [3, 5, 10]
    """
    parts = [part.strip() for text in texts for part in text.split(",")]
    InputError.raise_any(
        f"{option}: expected whole numbers, found {part!r}" for part in parts if not _is_whole(part)
    )
    return [int(part) for part in parts]


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+", text) is not None


def order_of(text: str) -> tuple[str, ...]:
    """Return values from the least to the greatest, each read as in CSV.

    >>> order_of('small < medium < "<b"')
    ('small', 'medium', '<b')
    """
    return tuple(value.strip() for value in _parted(text, "<"))


def _parted(text: str, mark: str) -> list[str]:
    return next(csv.reader([text], delimiter=mark, skipinitialspace=True, strict=True))
