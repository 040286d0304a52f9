"""From a request to a safe table: the stages in their order."""

from microagg.run.audit import fingerprint
from microagg.run.candidates import Candidate
from microagg.run.checking import check_release
from microagg.run.comparison import Comparison, compare
from microagg.run.dependence import DependenceTree
from microagg.run.evaluation import evaluate
from microagg.run.foretelling import Preview, preview
from microagg.run.protection import protect
from microagg.run.request import Options

__all__ = [
    "Candidate",
    "Comparison",
    "DependenceTree",
    "Options",
    "Preview",
    "check_release",
    "compare",
    "evaluate",
    "fingerprint",
    "preview",
    "protect",
]
