"""What a fix must not do to win: rules over the lines that it added and the text it took away.

Pure: the texts before and after a fix, and the project's tokens. The referee is the picture; these
rules catch what a picture cannot show.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design_tokens import Tokens, without_definitions
from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: A longer file is a bundle or data: only its whole change is told.
MAX_LINES = 50_000
_LONG_DATA = 1_500
_TEXT_LOST = 2

_COLOR = re.compile(r"#[0-9a-fA-F]{3,8}\b|(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\([^()]{3,60}\)")
_LENGTH = re.compile(r"([a-zA-Z-]{3,40})\s*[:=]\s*[\"'{]*((?:-?\d+(?:\.\d+)?(?:px|rem)\s*){1,4})")
_VAR = re.compile(r"var\(\s*--[^()]*\)")
_HIDES = (
    (re.compile(r"\bdisplay\s*:\s*[\"']?none\b"), "display: none"),
    (re.compile(r"\bvisibility\s*:\s*[\"']?(?:hidden|collapse)\b"), "visibility: hidden"),
    (re.compile(r"\bopacity\s*:\s*[\"']?0(?:\.0+)?%?\s*(?:[;,}\"'!]|$)"), "opacity: 0"),
    (re.compile(r"\bfont-?[sS]ize\s*:\s*[\"']?0(?:px|rem|em)?\s*(?:[;,}\"'!]|$)"), "font-size: 0"),
    (re.compile(r"(?<![-\w])color\s*:\s*[\"']?transparent\b"), "color: transparent"),
    (re.compile(r"-webkit-text-fill-color\s*:\s*transparent\b"), "transparent text"),
    (re.compile(r"\btext-?[iI]ndent\s*:\s*[\"']?-\d{3,}"), "text-indent far off"),
    (re.compile(r"\b(?:left|top|right|bottom)\s*:\s*[\"']?-\d{4,}px"), "moved off the page"),
    (re.compile(r"\bclip-?[pP]ath\s*:\s*[\"']?inset\((?:50|100)%"), "clip-path: inset"),
    (re.compile(r"\bclip\s*:\s*rect\(\s*0"), "clip: rect(0...)"),
    (re.compile(r"\bscale\(\s*0(?:\.0+)?\s*[,)]"), "scale(0)"),
    (re.compile(r"<\w[^<>]*\shidden(?:[\s=>/]|$)"), "the attribute hidden"),
    (
        re.compile(
            r"class(?:Name)?\s*=\s*[\"'][^\"']*\b(?:invisible|opacity-0|sr-only|text-transparent)\b"
        ),
        "a class that hides",
    ),
)
_DATA = re.compile(r"data:image/[\w+.-]+[;,]")
_PICTURE = re.compile(
    r"<(?:img|image|picture|canvas|video)\b|\bbackground(?:-image)?\s*:[^;]*url\(|drawImage\("
)
_COVERS = re.compile(
    r"100v[wh]|inset\s*:\s*0|width\s*[:=]\s*[\"']?100%|background-size\s*:\s*(?:cover|100%)"
)
_TAGS = re.compile(r"<[^<>]*>")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_MARKUP = (".html", ".htm", ".jsx", ".tsx", ".vue", ".svelte", ".astro", ".php", ".erb", ".hbs")


class PatchRule(StrEnum):
    """Which rule a patch breaks."""

    LITERAL = "literal-for-token"
    DESIGN_PICTURE = "design-picture"
    HIDDEN = "hidden-text"
    PICTURE_FOR_CONTENT = "picture-for-content"
    OUTSIDE = "outside-sources"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """One file before and after a fix; None where it was not there, or is no text.

    ``outside`` tells that it lies outside the sources that a fix may change. ``shows_design`` that
    it now is a picture with the pixels of the design.
    """

    path: str
    before: str | None
    after: str | None
    outside: bool = False
    shows_design: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchFinding:
    """One thing a patch must not do. ``line`` counts from 1 in the new file, None for the file."""

    rule: PatchRule
    path: str
    line: int | None
    message: str

    def as_record(self) -> dict[str, Any]:
        """Return the finding as the ledger and the brief hold it."""
        return {
            "rule": str(self.rule),
            "path": self.path,
            "line": self.line,
            "message": self.message,
        }


def judge_patch(
    patches: Iterable[FilePatch], tokens: Tokens, *, design_files: Sequence[str] = ()
) -> tuple[PatchFinding, ...]:
    """Return what is wrong with a patch, by path and line.

    *design_files* are names of the designs' pictures: a page that names one shows the design in
    place of being it.
    """
    found: list[PatchFinding] = []
    every = sorted(patches, key=lambda p: p.path)
    for patch in every:
        if patch.outside:
            found.append(_finding(PatchRule.OUTSIDE, patch, None, "a file that no fix may change"))
        if patch.shows_design:
            found.append(
                _finding(PatchRule.DESIGN_PICTURE, patch, None, "it is the design's picture")
            )
        for number, text in added_lines(patch.before, patch.after):
            found += _line_findings(patch, number, text, tokens, design_files)
    return (*found, *_picture_for_content(every))


def added_lines(before: str | None, after: str | None) -> tuple[tuple[int, str], ...]:
    """Return the lines of *after* that *before* has not, with their numbers."""
    if after is None:
        return ()
    new = after.splitlines()
    old = before.splitlines() if before is not None else []
    if len(new) > MAX_LINES or len(old) > MAX_LINES:
        return ()
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=len(old) + len(new) > 4_000)
    return tuple(
        (number + 1, new[number])
        for tag, _, _, start, end in matcher.get_opcodes()
        if tag in {"insert", "replace"}
        for number in range(start, end)
    )


def _line_findings(
    patch: FilePatch, number: int, text: str, tokens: Tokens, design_files: Sequence[str]
) -> list[PatchFinding]:
    found = []
    short = text[:4_000]
    data = _DATA.search(text)
    if data and len(text) - data.start() > _LONG_DATA:
        words = "a picture is embedded as data"
        found.append(_finding(PatchRule.DESIGN_PICTURE, patch, number, words))
    named = next((n for n in design_files if n and n in short), None)
    if named is not None:
        words = f"it names the design's picture {printable(named, limit=60)}"
        found.append(_finding(PatchRule.DESIGN_PICTURE, patch, number, words))
    for pattern, name in _HIDES:
        if pattern.search(short):
            found.append(_finding(PatchRule.HIDDEN, patch, number, f"it hides content: {name}"))
            break
    return found + _literals(patch, number, without_definitions(short, patch.path), tokens)


def _literals(patch: FilePatch, number: int, text: str, tokens: Tokens) -> list[PatchFinding]:
    bare = _VAR.sub("", text)  # a fallback inside var() is no hard-coded value
    found = []
    for match in _COLOR.finditer(bare):
        names = tokens.color_names(match[0])
        if names:
            words = f"{match[0]} is written out where the project has {_listed(names)}"
            found.append(_finding(PatchRule.LITERAL, patch, number, words))
    for match in _LENGTH.finditer(bare):
        prop = _dashed(match[1])
        for value in match[2].split():
            names = tokens.length_names(value, prop=prop)
            if names:
                words = f"{prop}: {value} is written out where the project has {_listed(names)}"
                found.append(_finding(PatchRule.LITERAL, patch, number, words))
    return found


def _picture_for_content(patches: Sequence[FilePatch]) -> tuple[PatchFinding, ...]:
    """Find a picture or canvas that a patch puts where it takes text away.

    The words that a whole patch removes are weighed against those it adds: content that moves from
    one file to another is not lost.
    """
    lost = _lost_words(patches)
    found = []
    for patch in patches:
        lines = added_lines(patch.before, patch.after)
        pictures = [(n, t) for n, t in lines if _PICTURE.search(t[:4_000])]
        whole = "\n".join(t[:4_000] for _, t in lines)
        if pictures and (lost >= _TEXT_LOST or (_COVERS.search(whole) and lost > 0)):
            words = f"a picture or canvas comes in where {lost} words of content go"
            found.append(_finding(PatchRule.PICTURE_FOR_CONTENT, patch, pictures[0][0], words))
    return tuple(found)


def _lost_words(patches: Sequence[FilePatch]) -> int:
    markup = [p for p in patches if p.path.lower().endswith(_MARKUP)]
    before = [w for p in markup for w in _content_words(p.before)]
    after = {w for p in markup for w in _content_words(p.after)}
    return len({w for w in before if w not in after})


def _content_words(text: str | None) -> list[str]:
    """Return the words between tags; scripts, styles and comments left out."""
    if text is None:
        return []
    bare = re.sub(r"(?is)<(script|style)\b.*?</\1>|<!--.*?-->", " ", text[:2_000_000])
    return [w.lower() for w in _WORDS.findall(_TAGS.sub(" ", bare))]


def _finding(rule: PatchRule, patch: FilePatch, line: int | None, message: str) -> PatchFinding:
    return PatchFinding(rule=rule, path=patch.path, line=line, message=message)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(printable(n, limit=60) for n in names[:2])
    return shown + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def _dashed(name: str) -> str:
    """Return a property as CSS writes it: ``fontSize`` is ``font-size``."""
    return re.sub(r"([a-z])([A-Z])", r"\1-\2", name).lower()
