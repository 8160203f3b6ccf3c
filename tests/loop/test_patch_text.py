"""A patch as text: what is shown is what changed, and it can be applied."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_pixelloop.loop.patch_text import MAX_LINES, FileChange, patch_text

if TYPE_CHECKING:
    from pathlib import Path


def change(
    before: bytes | None, after: bytes | None, *, name: str = "a.css", there: bool = True
) -> FileChange:
    """Return the change of a file from *before* to *after*."""
    return FileChange(
        name=name,
        existed=before is not None or not there,
        exists=after is not None,
        before=before,
        after=after,
    )


def test_a_patch_reads_like_any_unified_diff() -> None:
    """Names, the lines around a change, and a missing newline at the end stand in it."""
    text = patch_text([change(b"a\nb\nc\n", b"a\nB\nc"), change(None, b"new\n", name="n.css")])
    assert text == (
        "2 files: a.css, n.css\n"
        "--- a/a.css\n+++ b/a.css\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n"
        "\\ No newline at end of file\n"
        "--- /dev/null\n+++ b/n.css\n@@ -0,0 +1 @@\n+new\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"\0png", b"\0other", "the file is not shown: 4 bytes -> 6 bytes"),
        (b"a\n", b"x\n" * (MAX_LINES + 1), "the file is not shown: 2 bytes -> 10,002 bytes"),
        (b"a\n", b"a\n", "only its mode or its kind changed"),
    ],
)
def test_what_is_no_text_or_too_long_is_named_only(before: bytes, after: bytes, said: str) -> None:
    """No diff is made of pictures and of files that nobody reads line by line."""
    assert said in patch_text([change(before, after)])


def test_a_name_cannot_make_a_line_of_its_own() -> None:
    """A newline or an escape sequence in a file's name is written out."""
    text = patch_text([change(b"a\n", b"b\n", name="x\n+++ b/y\x1b[2J")])
    assert text.count("\n+++ ") == 1
    assert "\x1b" not in text


texts = st.lists(
    st.text(alphabet=st.sampled_from("ab \r\t\x0c\x85\u2028é"), max_size=4), max_size=8
).map("\n".join)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=texts, after=texts)
def test_a_patch_applies(tmp_path: Path, before: str, after: str) -> None:
    """``patch`` makes of the file before exactly the file after, whatever separates lines."""
    if shutil.which("patch") is None:
        pytest.skip("patch is not installed")
    if before == after or not before or not after:
        return
    path = tmp_path / "a.css"
    path.write_bytes(before.encode())
    text = patch_text([change(before.encode(), after.encode())])
    done = subprocess.run(
        ["patch", "-p1", "--binary", "--silent"],
        cwd=tmp_path,
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert path.read_bytes() == after.encode()
