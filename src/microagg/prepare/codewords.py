"""Many nominal values in few dimensions, nearly all as far apart as any others.

So many points that are exactly equally far apart need as many dimensions. Here each value gets a word
of 32 bits, the traces over GF(32) of the values of a polynomial a x + b x^3 + c x^5 + ... without other
powers: words of a linear code (a dual BCH code), of which two differ in 16 bits or little more or less.
With the words of the first 32 polynomials it is 16 always; of the first 1,024, 12 to 20; of the first
32,768, 8 to 24. So the values that occur most get the first words.

F. J. MacWilliams, N. J. A. Sloane, "The Theory of Error-Correcting Codes", 1977, chapters 8, 9 and 15.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats

LENGTH = 32  # bits of a word; two words differ in half of them
_BITS = 5  # 2**5 is the number of elements of the field
_MODULUS = 0b100101  # x^5 + x^2 + 1
_POWERS = (1, 3, 5, 7, 11, 15)  # one of each kind that is not the square of another


def codewords(frequency: NDArray[np.integer]) -> Floats:
    """Return a point for each value, of which so many records have each: two are about one unit apart."""
    count = frequency.size
    by_frequency = np.lexsort((np.arange(count), -frequency))
    words = np.empty((count, LENGTH))
    words[by_frequency] = _words(count)
    return words


def _words(count: int) -> Floats:
    """Return the first words of the code; 16 bits that differ make one unit."""
    numbers = np.arange(count)
    words = np.zeros((count, LENGTH), dtype=np.int64)
    for place, power in enumerate(_POWERS):
        words ^= _traces(power)[(numbers >> (_BITS * place)) & (LENGTH - 1)]
    points: Floats = words / np.sqrt(LENGTH / 2)
    return points


def _product(a: int, b: int) -> int:
    product = 0
    for bit in range(_BITS):
        if b >> bit & 1:
            product ^= a << bit
    for bit in reversed(range(_BITS, 2 * _BITS)):
        if product >> bit & 1:
            product ^= _MODULUS << (bit - _BITS)
    return product


def _power(a: int, exponent: int) -> int:
    result = 1
    for _ in range(exponent):
        result = _product(result, a)
    return result


def _trace(a: int) -> int:
    """Return a + a^2 + a^4 + a^8 + a^16, which is 0 or 1."""
    result = 0
    for doubling in range(_BITS):
        result ^= _power(a, 2**doubling)
    return result


@cache
def _traces(power: int) -> NDArray[np.int64]:
    """Return the trace of a x^power for every a (rows) and every x (columns)."""
    field = range(LENGTH)
    powers = [_power(x, power) for x in field]
    return np.array([[_trace(_product(a, x)) for x in powers] for a in field])
