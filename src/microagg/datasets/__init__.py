"""Data to work on: the papers' simulated sets, an invented business survey, the reference sets.

`microagg data business_survey firms.csv` writes the survey as a file.
"""

from microagg.datasets.business import business_survey
from microagg.datasets.csv_file import write_csv
from microagg.datasets.generators import (
    TreeDependent,
    clustered,
    correlated,
    scattered,
    siblings,
    simulated,
    synthetic,
    tree_dependent,
    vector,
)
from microagg.datasets.printed import toy
from microagg.datasets.reference import Reference, load_reference

__all__ = [
    "Reference",
    "TreeDependent",
    "business_survey",
    "clustered",
    "correlated",
    "load_reference",
    "scattered",
    "siblings",
    "simulated",
    "synthetic",
    "toy",
    "tree_dependent",
    "vector",
    "write_csv",
]
