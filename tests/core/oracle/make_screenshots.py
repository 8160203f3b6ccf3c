"""Write real screenshots of four small pages, each before and after three changes.

    python make_screenshots.py /usr/bin/chromium

``screenshots/<page>.png`` is a page, ``screenshots/<page>--<change>.png`` the same one with one
change of the kind that real pages suffer: twelve pairs. Some are there again at a device scale
factor of 2, under ``screenshots/2x``. The files are committed; run this only to add a pair, and
``test_pixels_oracle.py --write`` after it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "screenshots"
BASE_CSS = """* { box-sizing: border-box; margin: 0 }
body { width: 400px; height: 300px; overflow: hidden; background: #fff; color: #1f2937;
  font: 14px/20px "DejaVu Sans", sans-serif }
"""
PAGES: dict[str, str] = {
    "order": """<style>.bar { height: 44px; padding: 12px 16px; background: #111827; color: #fff }
.card { margin: 16px; padding: 16px; border: 1px solid #d1d5db; border-radius: 8px;
  box-shadow: 0 2px 6px rgb(0 0 0 / .15) }
.button { display: inline-block; margin-top: 12px; padding: 6px 16px; border-radius: 6px;
  background: #2563eb; color: #fff }</style>
<div class="bar">Orders</div><div class="card"><b>Order 4711</b>
<p>Two items, ready to be sent on Monday.</p><span class="button">Pay now</span></div>""",
    "article": """<style>body { font: 15px/24px "DejaVu Serif", serif; padding: 20px }
h1 { font-size: 24px; margin-bottom: 8px } em { color: #b91c1c }
hr { border: 0; height: 1px; background: #d4d4d4; margin: 12px 0 }</style>
<h1>On drawing lines</h1><p>A line that lies between two pixels is <em>smoothed</em> into both,
and no two machines agree on how much of it each of them gets.</p><hr>
<p>So a comparison has to tell a moved line from a smoothed one.</p>""",
    "form": """<style>body { padding: 20px; background: #f8fafc } label { display: block }
i { display: block; height: 32px; margin: 4px 0 14px; border: 1px solid #cbd5e1; background: #fff;
  border-radius: 4px; padding: 5px 10px; font-style: normal; color: #64748b }
u { float: right; width: 24px; height: 24px; text-decoration: none } </style>
<label>Name<i>Ada Lovelace</i></label><label>Street<i>St James's Square 12</i></label>
<svg width="24" height="24" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#16a34a"/>
<path class="tick" d="M6 12l4 4 8-8-1.500-1.500L10 13l-2.500-2.500z" fill="#fff"/></svg>
<svg width="24" height="24" viewBox="0 0 24 24"><path d="M12 3l10 18H2z" fill="#f59e0b"/></svg>""",
    "chart": """<style>body { background: #0f172a; color: #e2e8f0; padding: 16px }
b { display: block; margin-bottom: 10px } .line { fill: none; stroke: #38bdf8; stroke-width: 2 }
.area { fill: url(#g) }</style><b>Visits a week</b><svg width="368" height="220">
<linearGradient id="g" x2="0" y2="1"><stop stop-color="#0ea5e9"/><stop offset="1"
stop-color="#0f172a"/></linearGradient>
<path class="area" d="M0 180L60 120L130 150L200 60L270 90L368 20V220H0Z"/>
<path class="line" d="M0 180L60 120L130 150L200 60L270 90L368 20"/>
<circle cx="200" cy="60" r="5" fill="#fff"/></svg>""",
}
CHANGES: dict[str, dict[str, str]] = {
    "order": {
        "colour": ".button { background: #1d4ed8 }",
        "shadow": ".card { box-shadow: 0 8px 24px rgb(0 0 0 / .4); border-radius: 14px }",
        "down-1px": ".card { position: relative; top: 1px }",
    },
    "article": {
        "half-px": "p { transform: translate(0.5px, 0.5px) }",
        "weight": "h1 { font-weight: normal; letter-spacing: 0.02em }",
        "rule": "hr { background: #999; height: 2px }",
    },
    "form": {
        "icon": ".tick { transform: rotate(45deg); transform-origin: center }",
        "border": "i { border: 2px solid #475569; border-radius: 10px }",
        "tilt": "label { transform: rotate(0.6deg) }",
    },
    "chart": {
        "stroke": ".line { stroke: #f472b6; stroke-width: 3 }",
        "gradient": ".area { opacity: .6 }",
        "light": "body { background: #f1f5f9; color: #0f172a }",
    },
}
TWICE = {"form": ("icon",), "chart": ("stroke",), "order": ("shadow", "down-1px")}


def main() -> None:
    """Take every screenshot with the browser named on the command line."""
    _shoot_pages(FOLDER, {name: tuple(changes) for name, changes in CHANGES.items()}, scale=1)
    _shoot_pages(FOLDER / "2x", TWICE, scale=2)


def _shoot_pages(folder: Path, pages: dict[str, tuple[str, ...]], *, scale: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, changes in pages.items():
        body = PAGES[name]
        _shoot(body, folder / f"{name}.png", scale=scale)
        for change in changes:
            css = CHANGES[name][change]
            _shoot(f"{body}<style>{css}</style>", folder / f"{name}--{change}.png", scale=scale)


def _shoot(body: str, picture: Path, *, scale: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><style>{BASE_CSS}</style>{body}',
            encoding="utf-8",
        )
        subprocess.run(
            [
                *(sys.argv[1], "--headless", "--no-sandbox", "--hide-scrollbars"),
                *(f"--force-device-scale-factor={scale}", "--window-size=400,300"),
                *(f"--user-data-dir={folder}/profile", f"--screenshot={picture}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


if __name__ == "__main__":
    main()
