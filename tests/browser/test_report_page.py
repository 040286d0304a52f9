"""The report in a real browser: it is drawn, fits a telephone, prints, and can be read by everyone."""

from __future__ import annotations

import html
import json
import re
import shutil
import struct
import subprocess
import zlib

import pytest

from microagg.report import page
from tests.unit.report import made

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: no page can be looked at"
)

PHONE = 360  # pixels
LONG = "a_column_with_a_name_that_is_much_longer_than_any_telephone_is_wide_and_without_any_place_to_break"

MEASURED = """
<body><iframe srcdoc="{page}" style="width:{width}px;height:900px;border:0"></iframe>
<pre id="found"></pre>
<script>
addEventListener("load", () => {{
  const of = document.querySelector("iframe").contentDocument, root = of.documentElement;
  const box = element => {{ const at = element.getBoundingClientRect(); return [at.width, at.height]; }};
  document.getElementById("found").textContent = JSON.stringify({{
    width: root.clientWidth, scrolled: root.scrollWidth,
    pictures: [...of.querySelectorAll("svg")].map(box),
    letters: Math.min(...[...of.querySelectorAll("p, td, th, text, summary, figcaption, dd")].map(
      element => parseFloat(of.defaultView.getComputedStyle(element).fontSize))),
    hidden: [...of.querySelectorAll(".numbers")].filter(element => box(element)[1] === 0).length,
    outside: [...of.querySelectorAll("svg text")].filter(element => {{
      const at = element.getBoundingClientRect();
      return !element.closest(".scroll") && (at.left < 0 || at.right > root.clientWidth);
    }}).map(element => element.textContent),
  }});
}});
</script></body>
"""


def chromium(*options):
    return subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *options],
        capture_output=True,
        timeout=120,
        check=True,
    ).stdout.decode()


@pytest.fixture(scope="module", params=["internal", "external"])
def shown(request, tmp_path_factory):
    """Return the file of a page, with a column whose name is long."""
    of = made.example(records=120, names=(LONG, "staff", "year", "region"))
    path = tmp_path_factory.mktemp(request.param) / "page.html"
    path.write_text(page(of, made.evaluation(of), made.PROVENANCE, request.param), "utf-8")
    return path


def measured(path, width):
    """Return what the browser makes of a page of this width."""
    around = path.with_name(f"around-{width}.html")
    around.write_text(MEASURED.format(page=html.escape(path.read_text("utf-8")), width=width), "utf-8")
    dumped = chromium("--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom", around.as_uri())
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', dumped, re.DOTALL)
    return json.loads(html.unescape(found))


@pytest.mark.parametrize("width", [PHONE, 1100])
def test_nothing_reaches_over_the_edge_and_every_picture_has_its_place(shown, width):
    found = measured(shown, width)
    assert found["width"] == width
    assert found["scrolled"] <= width
    assert found["outside"] == []
    assert found["pictures"]
    assert all(wide > 100 and high > 50 for wide, high in found["pictures"])
    assert found["letters"] >= 11
    assert found["hidden"] > 0, "the numbers are folded away on a screen"


def test_the_page_is_drawn(shown, tmp_path):
    picture = tmp_path / "page.png"
    chromium(f"--screenshot={picture}", "--window-size=500,1500", shown.as_uri())
    shades = colours_in(picture)
    assert len(shades) > 50, "letters alone have some shades of grey"
    assert (0x2F, 0x61, 0x99) in shades, "bars are drawn in their colour"


def colours_in(picture):
    """Return the colours of a PNG of 8 bits."""
    content = picture.read_bytes()
    width, height, _, kind = struct.unpack(">IIBB", content[16:26])
    size = {2: 3, 6: 4}[kind]
    parts, at = b"", 8
    while at < len(content):
        length, name = struct.unpack(">I4s", content[at : at + 8])
        parts += content[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    rows = unfiltered(zlib.decompress(parts), width * size, height, size)
    return {tuple(row[x : x + 3]) for row in rows for x in range(0, width * size, size)}


def unfiltered(raw, wide, height, size):
    """Yield the rows of a PNG as bytes."""
    above = bytearray(wide)
    for y in range(height):
        kind, row = raw[y * (wide + 1)], bytearray(raw[y * (wide + 1) + 1 : (y + 1) * (wide + 1)])
        for x in range(wide if kind else 0):
            left, up, corner = (row[x - size], above[x], above[x - size]) if x >= size else (0, above[x], 0)
            row[x] = (row[x] + (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]) % 256
        above = row
        yield row


def paeth(left, up, corner):
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def test_it_prints_on_paper(shown, tmp_path):
    printed = tmp_path / "page.pdf"
    chromium("--no-pdf-header-footer", f"--print-to-pdf={printed}", shown.as_uri())
    content = printed.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) >= 2
    (wide, high), *_ = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert (round(float(wide)), round(float(high))) == (595, 842), "A4"


def test_on_paper_the_numbers_stand_open(shown):
    """The rule that folds them away speaks of screens only; without it all have their place."""
    on_paper = shown.with_name("paper.html")
    text = shown.read_text("utf-8")
    assert "@media print" in text
    on_paper.write_text(text.replace("@media screen {", "@media none {"), "utf-8")
    assert measured(on_paper, 1000)["hidden"] == 0
