"""What the protection costs, and what it leaves to be found out."""

from microagg.measures.compared import AMOUNTS, NO_STRATA, Compared, Pair, Watched
from microagg.measures.found import Evaluation, RiskMeasures
from microagg.measures.information import (
    Released,
    Squares,
    information_loss,
    loss_of_squares,
    middle,
    squared_distances_to,
)

__all__ = [
    "AMOUNTS",
    "NO_STRATA",
    "Compared",
    "Evaluation",
    "Pair",
    "Released",
    "RiskMeasures",
    "Squares",
    "Watched",
    "information_loss",
    "loss_of_squares",
    "middle",
    "squared_distances_to",
]
