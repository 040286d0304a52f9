"""The words of a plan, and which of them go together."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["direct identifier", "quasi-identifier", "sensitive", "weight", "stratum", "entity", "other"]
Kind = Literal["continuous", "integer", "ordinal", "nominal", "boolean", "date", "datetime"]
Centre = Literal["mean", "median", "trimmed mean", "mode"]
Scale = Literal["zscore", "range", "robust", "none"]
Missing = Literal["shared", "own-group", "error"]
SmallStrata = Literal["error", "merge"]
WeightRelease = Literal["mean", "keep", "drop"]
Unnamed = Literal["keep", "drop"]

ROLES: tuple[Role, ...] = get_args(Role)
KINDS: tuple[Kind, ...] = get_args(Kind)

CENTRES: dict[Kind, tuple[Centre, ...]] = {
    "continuous": ("mean", "median", "trimmed mean"),
    "integer": ("mean", "median", "trimmed mean", "mode"),
    "ordinal": ("median", "mean", "trimmed mean", "mode"),
    "nominal": ("mode",),
    "boolean": ("mode",),
    "date": ("mean", "median", "trimmed mean", "mode"),
    "datetime": ("mean", "median", "trimmed mean", "mode"),
}
"""The centres that a group's values of each kind can have; the first is taken if none is stated."""
