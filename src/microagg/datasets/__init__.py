"""Data to work on: the papers' simulated sets, an invented business survey, the reference sets.

`python -m microagg.datasets business_survey firms.csv` writes the survey as a file.
"""

from microagg.datasets.business import business_survey
from microagg.datasets.csv_file import write_csv
from microagg.datasets.generators import clustered, correlated, scattered, synthetic, vector
from microagg.datasets.reference import Reference, load_reference

__all__ = [
    "Reference",
    "business_survey",
    "clustered",
    "correlated",
    "load_reference",
    "scattered",
    "synthetic",
    "vector",
    "write_csv",
]
