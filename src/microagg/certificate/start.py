"""Partitions to begin with: those given, those of a search, and those of a fast method."""

from __future__ import annotations

from typing import Any

import numpy as np

from microagg.certificate.pool import groups_of
from microagg.certificate.problem import Floats, Group
from microagg.errors import InputError
from microagg.partition.matrix import Labels
from microagg.partition.mdav import MDAV
from microagg.partition.refined import Refined


def checked_labels(labels: Any, records: int, k: int) -> Labels:
    """Return labels as groups numbered from 0, or raise one error that names what is wrong with them."""
    found = np.asarray(labels)
    if found.shape != (records,):
        raise InputError(f"expected a label for each of the {records} records, found shape {found.shape}")
    if found.dtype.kind not in "iu":
        raise InputError(f"the labels must be whole numbers, found {found.dtype}")
    _, numbered, sizes = np.unique(found, return_inverse=True, return_counts=True)
    if sizes.min() < k:
        raise InputError(
            f"the labels are no partition for k = {k}: {int((sizes < k).sum())} group(s) hold fewer records, "
            f"the smallest {sizes.min()}"
        )
    return numbered.astype(np.int32)


def searched_labels(matrix: Floats, k: int, seconds: float) -> Labels:
    """Return the labels of a search of so many seconds: the nearer to the optimum, the sooner all ends."""
    return Refined(MDAV(), seconds=seconds).partition(matrix, k)


def first_partition(matrix: Floats, k: int, labels: Labels | None = None) -> list[Group]:
    """Return the groups given, those of 2k and more records split; or else the groups of MDAV.

    To split a group never adds to the loss.
    """
    given = np.zeros(len(matrix), np.int32) if labels is None else labels
    groups: list[Group] = []
    for group in groups_of(given):
        if len(group) < 2 * k:
            groups.append(group)
        else:
            parts = groups_of(MDAV().partition(matrix[list(group)], k))
            groups += [tuple(group[place] for place in part) for part in parts]
    return groups
