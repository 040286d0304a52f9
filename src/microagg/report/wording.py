"""Numbers and names as people read them; what cannot be had is a dash, never a word of the computer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePosixPath

NOTHING = "—"
_THIN = "\u202f"  # a narrow space that does not break
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LARGE, _SMALL = 1e15, 1e-4  # from where on powers of ten are told
_MANY = 1e5  # from where on a difference needs no decimals
_MOST_DIGITS = 15
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_UNSEEN = {code: f"[U+{code:04X}]" for code in (*range(32), *range(127, 160), *_DIRECTIONS)}
_VISIBLE = str.maketrans(_UNSEEN | {ord("\n"): "\n", ord("\t"): "\t"})
_THOUSANDS = 10_000  # from here on thousands are set apart; below are years


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with so many digits that matter, but no fewer than stand before its point.

    Four digits stand together, as in a year.

    >>> number(12345.678), number(1950.0), number(0.012345), number(-2.5e-9), number(float("nan"))
    ('12,346', '1950', '0.01235', '−2.5 × 10⁻⁹', '—')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if value and not _SMALL <= abs(value) < _LARGE:
        return _with_power(value, digits)
    decimals = max(0, digits - 1 - _magnitude(value))
    text = f"{value:,.{decimals}f}" if abs(value) >= _THOUSANDS else f"{value:.{decimals}f}"
    return _signed(text.rstrip("0").rstrip(".") if "." in text else text)


def percent(value: float | None) -> str:
    """Return a figure between 0 and 100 with three digits.

    >>> percent(14.1961), percent(20.0), percent(100.0), percent(0.0), percent(None)
    ('14.2\u202f%', '20.0\u202f%', '100\u202f%', '0\u202f%', '—')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    near = rounded(value)
    decimals = max(0, 2 - _magnitude(near)) if abs(near) >= _SMALL else 0
    text = _signed(f"{near:,.{decimals}f}") if decimals else number(near)
    return f"{text}{_THIN}%"


def share(value: float | None) -> str:
    """Return a share between 0 and 1 in percent."""
    return percent(None if value is None else 100.0 * value)


def count(value: int) -> str:
    """Return how many there are.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def counted(value: int, one: str, many: str = "") -> str:
    """Return how many there are of what.

    >>> counted(1, "record"), counted(2000, "record"), counted(2, "class", "classes")
    ('1 record', '2,000 records', '2 classes')
    """
    return f"{count(value)} {one if value == 1 else many or f'{one}s'}"


def signed(value: float | None, decimals: int = 2) -> str:
    """Return a difference with its sign, and none if it rounds to nothing.

    >>> signed(0.034), signed(-0.2), signed(-0.001), signed(None)
    ('+0.03', '−0.20', '0.00', '—')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if abs(value) >= _MANY:
        return f"{'+' if value > 0 else ''}{number(value)}"
    text = f"{value:+.{decimals}f}"
    return _signed(text) if float(text) else text[1:]


def rounded(value: float, digits: int = 3) -> float:
    """Return a number rounded to so many digits.

    >>> rounded(123456.789), rounded(0.0123456)
    (123000.0, 0.0123)
    """
    near = float(f"{value:.{digits}g}")
    return near if math.isfinite(near) else value


def shortened(name: str, length: int = 24) -> str:
    """Return a name as it fits into a picture.

    >>> shortened("turnover", 24), shortened("a_very_long_name_of_a_column", 12)
    ('turnover', 'a_very_long…')
    """
    return name if len(name) <= length else f"{name[: length - 1]}…"


def visible(text: str) -> str:
    """Return a text with the codes of what is unseen in it, and could hide or turn round what is beside it.

    >>> visible("a\\0b, \\u202etfel")
    'a[U+0000]b, [U+202E]tfel'
    """
    return text.translate(_VISIBLE)


def file_name(text: str) -> str:
    """Return the name of a file without its folders; nothing of what is no file.

    >>> file_name("/data/firms.csv"), file_name("sqlite:///firms.db"), file_name("DataFrame")
    ('firms.csv', '', '')
    """
    name = PurePosixPath(text.replace("\\", "/"))
    return "" if "://" in text or not name.suffix else name.name


def ticks(values: Sequence[float]) -> list[str]:
    """Return short texts of the numbers at an axis, all of them different where the numbers are.

    >>> ticks([0.0, 5000.0, 10000.0, 2.5e6]), ticks([1990.0, 2000.0]), ticks([1e9, 1e9 + 1])
    (['0', '5000', '10k', '2.5M'], ['1990', '2000'], ['1000M', '1000.000001M'])
    """
    for digits in range(3, _MOST_DIGITS + 1):
        texts = [_tick(value, digits) for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts if values else []


def _tick(value: float, digits: int) -> str:
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if max(unit, _THOUSANDS) <= abs(value) < 1e12:
            return f"{number(value / unit, digits).replace(',', '')}{letter}"
    return number(value, digits).replace(",", "").replace(" ", "")


def _with_power(value: float, digits: int) -> str:
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{_signed(mantissa)} × 10{str(int(power)).translate(_RAISED)}"


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value))) if value else 0
