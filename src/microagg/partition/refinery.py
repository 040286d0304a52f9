"""Sets the refinement up: records in an order in which neighbours lie together, and room to work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.neighbours import list_nearest
from microagg.kernels.refine_cell import (
    AGEING, BEST, CELL, FREE, HEAT, K, MASS, OWNER, QUEUED, REACH, SIZE, SPREAD, STAMP, VERSION, WAITS, LISTED, Cell)
from microagg.kernels.search import new_search
from microagg.kernels.tree import begin, build, new_tree
from microagg.partition.matrix import Floats, Labels
from microagg.partition.slices import Slices


def order_and_near(points: Floats, count: int, slices: Slices):
    n, d = points.shape
    tree = begin(new_tree(n, d), n, points.mean(axis=0))
    ids = np.arange(n, dtype=np.int32)
    keys = np.empty(n)
    while not build(tree, points, ids, keys, slices.budget):
        slices.end(0, spent=True)
    rank = np.empty(n, np.int32)
    rank[ids] = np.arange(n, dtype=np.int32)
    near = np.empty((n, count), np.int32)
    leaf, leaves = 0, -(-n // 32)
    search = new_search(count + 1, d)
    while leaf < leaves:
        leaf = list_nearest(tree, search, points, rank, near, leaf, 64)
    return ids, near


def new_cell(points, weights, near, labels, k, seed, HEATV, TAU, reach):
    n, d = points.shape
    width = -(-2 * k // 8) * 8
    groups = int(labels.max()) + 1
    places = n // k + 8
    sizes = np.bincount(labels, minlength=places)
    by_group = np.argsort(labels, kind="stable")
    slot = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    of_sorted = labels[by_group]
    members = np.zeros((places, width), np.int32)
    members[of_sorted, slot] = by_group
    block = np.zeros((places, d + 2, width))
    block[:, :d] = np.nan
    for j in range(d):
        block[of_sorted, j, slot] = points[by_group, j]
    block[of_sorted, d, slot] = weights[by_group]
    sums = np.zeros((places, 2))
    marks = np.zeros((places, 9), np.int64)
    marks[:, SIZE] = sizes
    marks[:, 7] = -1
    free = np.empty(places + 8, np.int32)
    empty = np.flatnonzero(sizes == 0)[::-1]
    free[: len(empty)] = empty
    marks[empty, LISTED] = 1
    queue = np.empty(places, np.int32)
    queue[:groups] = np.arange(groups)[::-1]
    marks[:groups, WAITS] = 1
    state = np.zeros(10, np.int64)
    state[K], state[REACH], state[FREE], state[QUEUED] = k, min(reach, near.shape[1]), len(empty), groups
    level = np.zeros(5)
    level[HEAT] = HEATV
    level[AGEING] = TAU / groups
    room = min(max(128, 16 * k), 512)
    random = np.array([seed * 0x9E3779B97F4A7C15 + 88172645463325252 & (2**64 - 1)], np.uint64)
    cell = Cell(points, weights, near, labels.astype(np.int32), labels.astype(np.int32), members, block, sums, marks,
        np.arange(n, dtype=np.int32), state, level, random,
        np.empty(2 * k * width), np.empty(2 * k * width), np.empty(2 * width), queue, free, np.empty(places, np.int32),
        np.empty(room, np.int32), np.empty((room, width), np.int32), np.empty((room, d + 2, width)), np.empty((room, 2)),
        np.empty((room, 2), np.int64), np.full((1 << 15, 2), -1, np.int64), np.empty((3, 10 * k), np.int32))
    return cell
