"""An invented set that stands for the real ones, and files of it."""

from __future__ import annotations

import hashlib

import numpy as np

from microagg.datasets import write_csv
from microagg.datasets.sources import Source
from tests.unit.datasets.rda_file import rda_bytes

TOWNS = {"id": [1, 2, 3, 4], "town": ["Reus", "Valls", "Cambrils", "Reus"], "sales": [10, -20, 30, 7]}
TOWNS_FILE = rda_bytes(TOWNS)
TOWNS_SOURCE = Source(
    name="towns",
    origin="invented",
    file="Towns.rda",
    size=len(TOWNS_FILE),
    sha256=hashlib.sha256(TOWNS_FILE).hexdigest(),
    values_sha256=hashlib.sha256(
        b"id\0" + np.array(TOWNS["id"], "<i8").tobytes() + b"\0"
        b"town\0Reus\nValls\nCambrils\nReus\0"
        b"sales\0" + np.array(TOWNS["sales"], "<i8").tobytes() + b"\0"
    ).hexdigest(),
    records=4,
    columns=("id", "town", "sales"),
    texts=("town",),
    unused=("id", "town"),
)


def put_csv(folder, table=TOWNS):
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(table, folder / "towns.csv")


def put_rda(folder, content=TOWNS_FILE):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Towns.rda").write_bytes(content)


def is_towns(reference):
    return (
        reference.name == "towns"
        and reference.origin == "invented"
        and reference.columns == ("sales",)
        and reference.X.dtype == np.float64
        and reference.X.tolist() == [[10.0], [-20.0], [30.0], [7.0]]
        and {name: column.tolist() for name, column in reference.table.items()} == TOWNS
    )
