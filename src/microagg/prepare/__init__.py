"""Columns to a matrix: records in an order of their own, comparable units, and what parts them."""

from microagg.prepare.entities import means_of_units
from microagg.prepare.matrix import Ground, ground_of, matrix_of, points_of_levels, width_of
from microagg.prepare.order import canonical_order
from microagg.prepare.strata import Strata, parted, with_small_merged
from microagg.prepare.units import exponent_of, standardised, unit_from, unit_of

__all__ = [
    "Ground",
    "Strata",
    "canonical_order",
    "exponent_of",
    "ground_of",
    "matrix_of",
    "means_of_units",
    "parted",
    "points_of_levels",
    "standardised",
    "unit_from",
    "unit_of",
    "width_of",
    "with_small_merged",
]
