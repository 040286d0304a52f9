"""Take the picture of a report: `python docs/pictures/draw_report.py`. Needs Chromium and ImageMagick."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import microagg

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "examples"  # from which the survey is read, so that no other folder is shown
WIDTH, HEIGHT = 960, 3600  # of the browser's window
PARTS = ((25, 760), (1700, 760))  # of the page, that are shown side by side: from where, and how high
COLOURS = 64


def main() -> None:
    """Protect the survey, and look at its report."""
    os.chdir(FOLDER)
    result = microagg.protect(
        "business_survey.csv",
        k=5,
        quasi_identifiers=["employees", "turnover", "wages"],
        sensitive=["insolvency_warning"],
        drop="rest",
    )
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder, "release.html"), Path(folder, "shot.png")
        result.report(page)
        window = f"--window-size={WIDTH},{HEIGHT}"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", window]
        subprocess.run(["chromium", *options, f"--screenshot={shot}", page.as_uri()], check=True)
        parts = [
            word
            for top, height in PARTS
            for word in ("(", shot, "-crop", f"{WIDTH}x{height}+0+{top}", "+repage", ")")
        ]
        joined = ["+append", "-bordercolor", "#c8ccd2", "-border", "2", "-colors", str(COLOURS)]
        subprocess.run(["convert", *parts, *joined, HERE / "report.png"], check=True)


if __name__ == "__main__":
    main()
