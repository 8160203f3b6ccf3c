"""Broken pages of many kinds: which page, how its styles are written, and what is broken in it."""

from __future__ import annotations

from dataclasses import dataclass

CSS, MODULES, SCSS = "css", "modules", "scss"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A page with defects.

    ``page`` is one of ``benchmarks/truth/pages``, or ``quickstart/NAME``, broken as it is.
    ``style`` is how its styles are kept. ``rules`` are (selector, property, wrong value), ``html``
    are (right, wrong) pieces of the markup, ``tokens`` are (name, wrong value).
    """

    name: str
    page: str
    style: str = CSS
    rules: tuple[tuple[str, str, str], ...] = ()
    html: tuple[tuple[str, str], ...] = ()
    tokens: tuple[tuple[str, str], ...] = ()


CASES = (
    Broken(name="quickstart-login", page="quickstart/login"),
    Broken(name="quickstart-settings", page="quickstart/settings"),
    Broken(name="colour", page="login", rules=((".btn", "background", "var(--blue-800)"),)),
    Broken(name="shadow", page="login", rules=((".card", "box-shadow", "none"),)),
    Broken(
        name="radius-border",
        page="login",
        rules=(
            (".card", "border-radius", "4px"),
            (".card", "border", "1px solid var(--slate-400)"),
        ),
    ),
    Broken(
        name="size-weight",
        page="login",
        rules=(("h1", "font-size", "20px"), ("h1", "font-weight", "400")),
    ),
    Broken(
        name="padding-gap",
        page="login",
        rules=((".card", "padding", "24px"), (".card", "gap", "12px")),
    ),
    Broken(name="words", page="login", html=(("Forgot password?", "Forgot pasword?"),)),
    Broken(
        name="words-twice",
        page="settings",
        html=(("Product designer, Gdańsk", "Product owner, Gdańsk"), ("GMT+2", "GMT+3")),
    ),
    Broken(
        name="inline-styles",
        page="login",
        html=(
            ('<div class="btn">', '<div class="btn" style="height: 36px">'),
            ('<p class="foot">', '<p class="foot" style="color: #dc2626">'),
        ),
    ),
    Broken(name="scss-variable", page="login", style=SCSS, tokens=(("blue-600", "#7c3aed"),)),
    Broken(
        name="modules-fields",
        page="login",
        style=MODULES,
        rules=((".in", "border-radius", "0"), (".or", "font-size", "15px")),
    ),
    Broken(name="opacity", page="login", rules=((".alt", "opacity", "0.4"),)),
    Broken(name="hidden", page="login", rules=((".sub", "display", "none"),)),
    Broken(name="nav-width", page="settings", rules=((".nav", "width", "220px"),)),
    Broken(name="row-padding", page="settings", rules=((".row", "padding", "10px 20px"),)),
    Broken(
        name="toggles",
        page="settings",
        rules=((".tg.on", "background", "var(--zinc-400)"), (".tg", "border-radius", "4px")),
    ),
    Broken(name="line-height", page="settings", rules=((".tx span", "line-height", "26px"),)),
    Broken(
        name="three-kinds",
        page="checkout",
        rules=(
            (".go", "background", "var(--sky-500)"),
            (".op", "border-radius", "0"),
            ("h2", "font-size", "22px"),
        ),
    ),
    Broken(
        name="panel",
        page="checkout",
        rules=((".r", "background", "var(--white)"), (".ap", "color", "var(--gray-800)")),
        html=((">Apply<", ">Aply<"),),
    ),
    Broken(name="grid-gap", page="cards", rules=((".g", "gap", "32px"),)),
    Broken(
        name="modules-type",
        page="cards",
        style=MODULES,
        rules=((".n b", "letter-spacing", "1px"), (".t span", "color", "var(--slate-800)")),
    ),
    Broken(name="text-width", page="pricing", rules=((".hd p", "width", "480px"),)),
    Broken(
        name="emphasis",
        page="pricing",
        rules=(
            (".p.best", "border", "2px solid var(--rose-600)"),
            (".bd", "background", "var(--rose-100)"),
            (".best .bt", "background", "var(--rose-600)"),
        ),
    ),
    Broken(name="density", page="table", rules=((".r", "height", "47px"),)),
    Broken(
        name="scss-table",
        page="table",
        style=SCSS,
        rules=((".tb", "border-radius", "0"), (".b.p", "background", "$indigo-800")),
    ),
    Broken(
        name="five-mobile",
        page="mobile_checkout",
        rules=(
            (".bt", "background", "var(--rose-800)"),
            (".c", "border-radius", "4px"),
            (".h b", "font-weight", "400"),
            (".py", "gap", "20px"),
        ),
        html=(("Place order", "Place oder"),),
    ),
    Broken(
        name="bubbles",
        page="chat",
        rules=((".out", "background", "var(--indigo-400)"), (".m", "gap", "20px")),
    ),
)
