"""Columns to a matrix: records in an order of their own, comparable units, and what parts them."""

from microagg.prepare.entities import means_of_units
from microagg.prepare.matrix import matrix_of, width_of
from microagg.prepare.order import canonical_order
from microagg.prepare.strata import Strata, parted, with_small_merged
from microagg.prepare.units import standardised, unit_of

__all__ = [
    "Strata",
    "canonical_order",
    "matrix_of",
    "means_of_units",
    "parted",
    "standardised",
    "unit_of",
    "width_of",
    "with_small_merged",
]
