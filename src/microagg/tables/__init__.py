"""Tables in and out: files and data frames, columns as they were given and as numbers."""

from microagg.tables.databases import TableTarget
from microagg.tables.digest import digest_of_table
from microagg.tables.encoding import Encoded
from microagg.tables.files import Target, as_written, digest_of, read, target_of, write
from microagg.tables.forms import array_of, codes, for_each, joined
from microagg.tables.frames import like
from microagg.tables.source import Destination, Source
from microagg.tables.table import Table

__all__ = [
    "Destination",
    "Encoded",
    "Source",
    "Table",
    "TableTarget",
    "Target",
    "array_of",
    "as_written",
    "codes",
    "digest_of",
    "digest_of_table",
    "for_each",
    "joined",
    "like",
    "read",
    "target_of",
    "write",
]
