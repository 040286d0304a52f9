"""Help in sections, in plain text."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class Command(TyperCommand):
    """A command that shows its options section by section, as their `rich_help_panel` says."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what each argument and option means."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record:
                usual = "Arguments" if option.param_type_name == "argument" else "Options"
                title = getattr(option, "rich_help_panel", None) or usual
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)
