"""The pages a reader sees, and the fenced blocks on them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language, what is in it, and where that begins and the block ends."""

    language: str
    content: str
    start: int
    end: int


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    return [Block(found[1], found[2], found.start(2), found.end()) for found in _FENCED.finditer(text)]
