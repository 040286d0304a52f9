"""From a request to a safe table: the stages in their order."""

from microagg.run.audit import fingerprint
from microagg.run.checking import check_release
from microagg.run.foretelling import Preview, preview
from microagg.run.protection import protect
from microagg.run.request import Options

__all__ = ["Options", "Preview", "check_release", "fingerprint", "preview", "protect"]
