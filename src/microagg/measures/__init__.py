"""What the protection costs, and what it leaves to be found out."""

from microagg.measures.compared import AMOUNTS, NO_STRATA, Compared, Pair, Watched
from microagg.measures.found import Evaluation, RiskMeasures
from microagg.measures.information import Released, information_loss

__all__ = [
    "AMOUNTS",
    "NO_STRATA",
    "Compared",
    "Evaluation",
    "Pair",
    "Released",
    "RiskMeasures",
    "Watched",
    "information_loss",
]
