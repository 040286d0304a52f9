"""The engine on Spark, the only folder that imports it."""

from microagg.engine.spark.counting import classes_of, digest_of
from microagg.engine.spark.records import CHANGED, OnSpark, a_row
from microagg.engine.spark.session import local_session, require_recent, require_startable

__all__ = [
    "CHANGED",
    "OnSpark",
    "a_row",
    "classes_of",
    "digest_of",
    "local_session",
    "require_recent",
    "require_startable",
]
