"""The roles of WAI-ARIA 1.2 and its graphics module, as browsers tell them."""

from __future__ import annotations

import difflib

from pytest_pixelloop.core.errors import ConfigurationError

_WORDS = """
    alert alertdialog application article banner blockquote button caption cell checkbox code
    columnheader combobox command comment complementary composite contentinfo definition deletion
    dialog directory document emphasis feed figure form fragment generic graphics-document
    graphics-object graphics-symbol grid gridcell group heading iframe image img input insertion
    landmark link list listbox listitem log main mark marquee math menu menubar menuitem
    menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation
    progressbar radio radiogroup range region roletype row rowgroup rowheader scrollbar search
    searchbox section sectionhead select separator slider spinbutton status strong structure
    subscript suggestion superscript switch tab table tablist tabpanel term text textbox time timer
    toolbar tooltip tree treegrid treeitem widget window
"""
ROLES = frozenset(_WORDS.split())


def check_role(role: str, *, where: str) -> str:
    """Return *role*; ConfigurationError for a word that no browser ever says.

    An element that is not in the tree only warns, so a misspelled role would never fail.
    """
    if role in ROLES or role.startswith("doc-"):
        return role
    close = difflib.get_close_matches(role.lower(), sorted(ROLES), n=1)
    raise ConfigurationError(
        f"unknown role {role!r}",
        where=where,
        expected="a role of WAI-ARIA in small letters, such as button, link or heading",
        next_step=f"did you mean {close[0]}?" if close else "",
    )
