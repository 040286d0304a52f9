"""Workers that die once, in the midst of a block."""

from __future__ import annotations

from contextlib import contextmanager
from unittest.mock import patch

from microagg.engine.releasing import Releasing
from microagg.run import blockwise


@contextmanager
def dying(marker, *, executor=False):
    """Let the Python worker that first works on a block be killed, or the executor that it works for."""
    path = str(marker)

    class Dying(Releasing):  # made here, so that it is sent to the workers as it is
        def released(self, block):
            import os
            import signal
            from pathlib import Path

            def parent_of(process):
                return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])

            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return Releasing.released(self, block)
            me = os.getpid()
            os.kill(parent_of(parent_of(me)) if executor else me, signal.SIGKILL)

    with patch.object(blockwise, "Releasing", Dying):
        yield
    assert marker.exists(), "nobody died"
