"""Tables in and out: files and data frames, columns as they were given and as numbers."""

from microagg.tables.databases import TableTarget
from microagg.tables.files import Target, as_written, read, target_of, write
from microagg.tables.forms import codes
from microagg.tables.frames import like
from microagg.tables.source import Destination, Source
from microagg.tables.table import Table

__all__ = [
    "Destination",
    "Source",
    "Table",
    "TableTarget",
    "Target",
    "as_written",
    "codes",
    "like",
    "read",
    "target_of",
    "write",
]
