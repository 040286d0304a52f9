"""A page as its elements, read by a parser that forgives nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str | None]
    children: list[Element] = field(default_factory=list)
    own: list[str] = field(default_factory=list)

    def all(self, *names):
        """Return the elements of these names, wherever they stand, in their order."""
        for child in self.children:
            if not names or child.name in names:
                yield child
            yield from child.all(*names)

    @property
    def text(self):
        return "".join([*self.own, *(child.text for child in self.children)])


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute of {tag} stands twice"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open[-1].name == tag, f"{tag} closes {self.open[-1].name}"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].own.append(data)


def read(text):
    """Return the root of a page; every element must be closed where it should be."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.open) == 1, f"{reader.open[-1].name} is not closed"
    return reader.open[0]
