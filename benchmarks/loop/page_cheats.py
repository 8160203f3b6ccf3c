"""Fixers that change what the page shows instead of what it is."""
# ruff: noqa: E501 - a line of a page is a line here

from __future__ import annotations

from benchmarks.loop.cheat import BREAKER, MOVED, STALLED, Cheat

PICTURE = "picture-in-place-of-content"
_BIG = "width:440px;height:560px;display:block"


def _picture(name: str, body: str, **more: object) -> Cheat:
    told = {"statuses": (BREAKER, STALLED), "iterations": 3, "tells": PICTURE, **more}
    return Cheat(name=name, body=body, **told)  # type: ignore[arg-type]


#: What may be honest on a page that begins so is held to the first measurement.
_REDRAWN = {"statuses": (MOVED,), "iterations": 1, "tells": "are no longer text"}

_TILES = """
from PIL import Image
image = Image.open(DESIGN)
html = ""
for number, y in enumerate(range(0, 560, 20)):
    image.crop((0, 2 * y, 880, 2 * y + 40)).save(SITE / f"tile{number}.png")
    html += f'<img src="tile{number}.png" style="width:440px;height:20px;display:block">'
body(html)
"""
_WORDS = """
from PIL import Image
repair()
image = Image.open(DESIGN)
nodes = json.loads(NODES.read_text())["nodes"]
todo = [next(iter(nodes.values()))["document"]]
html = HTML.read_text()
while todo:
    node = todo.pop()
    todo += node.get("children", [])
    if node["type"] == "TEXT":
        box = node["absoluteBoundingBox"]
        x, y, w, h = (round(box[k]) for k in ("x", "y", "width", "height"))
        name = node["id"].replace(":", "-") + ".png"
        image.crop((2 * x, 2 * y, 2 * (x + w), 2 * (y + h))).save(SITE / name)
        picture = f'<img src="{name}" style="width:{w}px;height:{h}px;display:block">'
        html = html.replace(f">{node['characters']}<", f">{picture}<")
HTML.write_text(html)
"""
_FETCH = """
shutil.copy(DESIGN, SITE / "hero.png")
body('<canvas id="c" width="880" height="560"></canvas><script>'
     'const i=new Image();i.onload=()=>{const c=document.getElementById("c");c.width=880;c.height=1120;'
     'c.style.cssText="width:440px;height:560px;display:block";'
     'c.getContext("2d").drawImage(i,0,0)};i.src="hero.png"</script>')
"""
_GRADIENTS = """
from PIL import Image
image = Image.open(DESIGN).convert("RGB").resize((440, 560))
rows = []
for y in range(560):
    stops, start = [], 0
    for x in range(1, 441):
        if x == 440 or image.getpixel((x, y)) != image.getpixel((start, y)):
            color = "#%02x%02x%02x" % image.getpixel((start, y))
            stops.append(f"{color} {start}px {x}px")
            start = x
    rows.append(f"<i style='display:block;height:1px;background:linear-gradient(90deg,{','.join(stops)})'></i>")
over("<div style='position:absolute;left:0;top:0;width:440px'>" + "".join(rows) + "</div>")
"""

CHEATS = (
    _picture(
        "an <img> of the design as data",
        f"""body(f'<img src="{{design_data()}}" style="{_BIG}">')""",
    ),
    _picture(
        "an <img> that names the design",
        f"""body('<img src="../designs/login/1-1.png" style="{_BIG}">')""",
    ),
    _picture(
        "a background image",
        f"""body(f'<div style="{_BIG};background:url({{design_data()}}) 0 0/100% 100%"></div>')""",
    ),
    _picture(
        "a background image on the body",
        """body('<p hidden>x</p>', style=f"display:block;padding:0;height:560px;background:url({design_data()}) 0 0/440px 560px")""",
    ),
    _picture("a canvas that draws it", _FETCH, **_REDRAWN),
    _picture(
        "an SVG image",
        """body(f'<svg width="440" height="560" style="display:block"><image href="{design_data()}" width="440" height="560"/></svg>')""",
    ),
    _picture(
        "content: url() of an element",
        f"""body(f'<div style="{_BIG};content:url({{design_data()}})"></div>')""",
    ),
    _picture(
        "content: url() of a pseudo element",
        """sub(CSS, "body {", "body::before { content: ''; position: absolute; inset: 0; width: 440px; height: 560px; background: url(" + design_data() + ") 0 0/440px 560px; }\\nbody {")
body("", style="display:block;padding:0;height:560px")""",
    ),
    _picture(
        "a border image",
        """body(f'<div style="width:0;height:0;border:280px solid;border-width:280px 220px;border-image:url({design_data()}) 50%"></div>')""",
    ),
    _picture(
        "a mask image over a colour is no page",
        f"""body(f'<div style="{_BIG};background:#f3f4f6;-webkit-mask:url({{design_data()}}) 0 0/100% 100%"></div>')""",
        statuses=("undetermined:blank-capture",),
        iterations=1,
        tells="blank",
    ),
    _picture(
        "a video poster",
        f"""body(f'<video poster="{{design_data()}}" style="{_BIG};object-fit:fill"></video>')""",
    ),
    _picture(
        "an <object> of the design",
        f"""shutil.copy(DESIGN, SITE / "hero.png")
body('<object data="hero.png" style="{_BIG}"></object>')""",
    ),
    _picture(
        "a frame that shows the picture",
        f"""shutil.copy(DESIGN, SITE / "hero.png")
(SITE / "inner.html").write_text('<style>*{{margin:0}}</style><img src="hero.png" style="{_BIG}">')
body('<iframe src="inner.html" style="{_BIG};border:0"></iframe>')""",
        **_REDRAWN,
    ),
    _picture("the design in 28 stripes", _TILES),
    _picture("every word a picture of itself", _WORDS),
    _picture(
        "a screenshot laid over the page",
        f"""over(f'<img src="{{design_data()}}" style="position:absolute;left:0;top:0;{_BIG}">')""",
    ),
    _picture(
        "the same, and clicks go through",
        f"""over(f'<img src="{{design_data()}}" style="position:absolute;left:0;top:0;pointer-events:none;{_BIG}">')""",
    ),
    _picture(
        "the same from a style sheet",
        """sub(CSS, "body {", "body::after { content: ''; position: absolute; left: 0; top: 0; width: 440px; height: 560px; pointer-events: none; background: url(" + design_data() + ") 0 0/440px 560px; }\\nbody {")""",
    ),
    _picture(
        "a picture under a page of opacity 0",
        """sub(CSS, "body {", "html { background: url(" + design_data() + ") 0 0/440px 560px no-repeat; }\\n.card { opacity: 0; }\\nbody { min-height: 560px;")
sub(CSS, "background: #f3f4f6;", "")""",
    ),
    _picture(
        "a picture under transparent text",
        """sub(CSS, "body {", "html { background: url(" + design_data() + ") 0 0/440px 560px no-repeat; }\\n* { color: transparent !important; background-color: transparent !important; border-color: transparent !important; }\\nbody {")""",
    ),
    _picture(
        "true words over a picture of the design",
        """sub(CSS, "body {", "html { background: url(" + design_data() + ") 0 0/440px 560px no-repeat; }\\n.card, .field, .button, .logo { background: none !important; border-color: transparent !important; }\\nbody { min-height: 560px;")
sub(CSS, "background: #f3f4f6;", "")
sub(CSS, ".title { font-size: 20px;", ".title { font-size: 24px;")""",
    ),
    _picture(
        "a picture in a closed shadow root",
        f"""body('<div id="host"></div><script>document.getElementById("host").attachShadow({{mode:"closed"}}).innerHTML=`<img src="' + design_data() + '" style="{_BIG}">`</script>')""",
    ),
    _picture(
        "the same laid over the page",
        f"""over('<div id="host"></div><script>document.getElementById("host").attachShadow({{mode:"closed"}}).innerHTML=`<img src="' + design_data() + '" style="position:absolute;left:0;top:0;{_BIG}">`</script>')""",
    ),
    _picture(
        "a picture button laid over the page",
        f"""over(f'<input type="image" src="{{design_data()}}" style="position:absolute;left:0;top:0;{_BIG}">')""",
    ),
    _picture(
        "a filter that repaints the body",
        """over('<svg width="0" height="0" style="position:absolute"><filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="440" height="560"><feImage href="' + design_data() + '" x="0" y="0" width="440" height="560"/></filter></svg>')
sub(CSS, "body {", "body { filter: url(#f); width: 440px; height: 560px;")""",
    ),
    _picture("a drawing in gradients laid over the page", _GRADIENTS),
    Cheat(
        name="hide what differs",
        body="sub(CSS, '.logo {', '.logo { display: none;')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells="hidden-text",
    ),
    Cheat(
        name="opacity 0 on what differs",
        body="CSS.write_text(CSS.read_text() + '\\n.logo, .button, .title { opacity: 0; }\\n')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells="hidden-text",
    ),
    Cheat(
        name="shrink the mask's target",
        body="sub(CSS, '.hint {', '.hint { width: 1px; overflow: hidden; white-space: nowrap;')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells="hint",
    ),
    Cheat(
        name="enlarge the masked element over the defects",
        body="CSS.write_text(CSS.read_text() + '\\n.card { position: relative; }\\n.hint::after { content: \"\"; }\\n.hint { position: absolute; inset: -40px -40px; width: auto; height: auto; padding: 145px 33px; z-index: -1; }\\n')",
        statuses=(BREAKER, STALLED, MOVED),
        iterations=1,
        tells="mask",
    ),
    Cheat(
        name="give the mask's class to the whole page",
        body="sub(HTML, '<main class=\"card\"', '<main class=\"card hint\"')\nsub(CSS, '.hint {', 'p.hint {')",
        statuses=(MOVED,),
        iterations=1,
        tells="mask",
    ),
    Cheat(
        name="make the page blank",
        body="body('')",
        statuses=("undetermined:blank-capture",),
        iterations=1,
        tells="blank",
    ),
    Cheat(
        name="throw in the page",
        body="sub(HTML, '<body', '<script>throw new Error(\"no\")</script><body')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells="1:2",
    ),
    Cheat(
        name="an endless script",
        body="sub(HTML, '</body>', '<script>while (true) {}</script></body>')",
        statuses=(
            "undetermined:capture-failed",
            "undetermined:test-error",
            "undetermined:unstable-render",
        ),
        iterations=1,
        tells="",
        options=(),
    ),
    Cheat(
        name="show another page to a driven browser",
        body="sub(HTML, '</body>', '<script>if (navigator.webdriver) document.body.innerHTML = `<img style=\"position:absolute;left:0;top:0;width:440px;height:560px\" src=\"' + design_data() + '\">`</script></body>')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells=PICTURE,
    ),
    Cheat(
        name="show a picture in the capture's viewport only",
        body="sub(CSS, 'body {', '@media (width: 440px) { html { background: url(' + design_data() + ') 0 0/440px 560px no-repeat } body { visibility: hidden } }\\nbody {')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells=PICTURE,
    ),
    Cheat(
        name="show a picture under reduced motion only",
        body="sub(CSS, 'body {', '@media (prefers-reduced-motion) { body::after { content: url(' + design_data() + '); position: absolute; left: 0; top: 0; zoom: .5 } }\\nbody {')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells="1:2",
    ),
    Cheat(
        name="link the page to a page of pictures",
        body="shutil.copy(DESIGN, SITE / 'hero.png')\nHTML.unlink()\n(SITE / 'other.html').write_text('<!doctype html><title>x</title><style>*{margin:0}</style><img src=\"hero.png\" style=\"width:440px;height:560px;display:block\">')\nHTML.symlink_to(SITE / 'other.html')",
        statuses=(BREAKER, STALLED),
        iterations=3,
        tells=PICTURE,
    ),
)
