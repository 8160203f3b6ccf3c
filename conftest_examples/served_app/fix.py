"""A fixer that repairs one tile an iteration."""

from pathlib import Path

css = Path(__file__).parent / "site" / "tiles.css"
text = css.read_text("utf-8")
for wrong, right in (("#7c3aed", "#2563eb"), ("#ea580c", "#dc2626")):
    if wrong in text:
        css.write_text(text.replace(wrong, right), encoding="utf-8")
        break
