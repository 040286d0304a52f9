"""The report: one page that tells what a release protects, what it lost, and how it came to be."""

from microagg.report.page import page, write
from microagg.report.provenance import Provenance

__all__ = ["Provenance", "page", "write"]
