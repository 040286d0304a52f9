"""Chromium, and what it makes of a page."""

from __future__ import annotations

import html
import json
import re
import shutil
import struct
import subprocess
import zlib

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: no page can be looked at"
)

PHONE = 360  # pixels

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


def measured(path, width):
    """Return what the browser makes of a page of this width."""
    around = path.with_name(f"around-{width}.html")
    around.write_text(MEASURED.format(page=html.escape(path.read_text("utf-8")), width=width), "utf-8")
    dumped = chromium("--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom", around.as_uri())
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', dumped, re.DOTALL)
    return json.loads(html.unescape(found))


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
