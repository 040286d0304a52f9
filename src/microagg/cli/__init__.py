"""The command line.

Nothing but what is below is imported before Ctrl-C is met with a message.
"""

from __future__ import annotations

from typing import Any


def main() -> None:
    """Run the command line."""
    from microagg.cli.stopping import stopped_soon

    with stopped_soon():
        from microagg.cli.commands import app
        from microagg.cli.printed import ready_to_print

        ready_to_print()
        app()


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'microagg.cli' has no attribute {name!r}")
    from microagg.cli.commands import app

    return app
