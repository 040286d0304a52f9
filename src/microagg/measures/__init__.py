"""What the protection costs, and what it leaves to be found out."""

from microagg.measures.compared import AMOUNTS, Compared, Pair, Watched
from microagg.measures.found import Evaluation, RiskMeasures
from microagg.measures.information import (
    Released,
    information_loss,
    loss_of_squares,
    middle,
    squared_distances_to,
)

__all__ = [
    "AMOUNTS",
    "Compared",
    "Evaluation",
    "Pair",
    "Released",
    "RiskMeasures",
    "Watched",
    "information_loss",
    "loss_of_squares",
    "middle",
    "squared_distances_to",
]
