"""Tables in and out: files and data frames, columns as they were given and as numbers."""

from microagg.tables.databases import TableTarget
from microagg.tables.digest import digest_of_table
from microagg.tables.encoding import Encoded, texts_of_levels
from microagg.tables.files import Target, as_written, digest_of, read, target_of, write
from microagg.tables.forms import array_of, codes, for_each, joined
from microagg.tables.frames import is_spark, like
from microagg.tables.pairing import ORIGINAL, RELEASED, Matching, Paired, differ, matched, paired, part_of
from microagg.tables.source import Destination, Source, is_place, options_of, without_secrets
from microagg.tables.table import Table

__all__ = [
    "ORIGINAL",
    "RELEASED",
    "Destination",
    "Encoded",
    "Matching",
    "Paired",
    "Source",
    "Table",
    "TableTarget",
    "Target",
    "array_of",
    "as_written",
    "codes",
    "differ",
    "digest_of",
    "digest_of_table",
    "for_each",
    "is_place",
    "is_spark",
    "joined",
    "like",
    "matched",
    "options_of",
    "paired",
    "part_of",
    "read",
    "target_of",
    "texts_of_levels",
    "without_secrets",
    "write",
]
