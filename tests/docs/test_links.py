"""Every link between the pages, and to pictures and files, leads somewhere."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import PAGES, name_of

LINK = re.compile(r"""\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)\"""")


def links(text):
    found = (match[1] or match[2] for match in LINK.finditer(text))
    return [link for link in found if not link.startswith("https://")]


def anchors(text):
    """Return the names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    lost = []
    for link in links(page.read_text()):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pictures_say_in_words_what_they_show(page):
    text = page.read_text()
    pictures = re.findall(r"!\[([^\]]*)\]|<img [^>]*?alt=\"([^\"]*)\"|(<img )", text)
    assert all(len(one or other) > 30 for one, other, _ in pictures)
