"""A fixer that repairs one tile and breaks another, then the other way round, for ever."""

from pathlib import Path

css = Path(__file__).parent / "site" / "tiles.css"
text = css.read_text("utf-8")
if ".open { background: #2563eb; }" in text:
    text = text.replace(".open { background: #2563eb; }", ".open { background: #7c3aed; }")
    text = text.replace(".late { background: #ea580c; }", ".late { background: #dc2626; }")
else:
    text = text.replace(".open { background: #7c3aed; }", ".open { background: #2563eb; }")
    text = text.replace(".late { background: #dc2626; }", ".late { background: #ea580c; }")
css.write_text(text, encoding="utf-8")
