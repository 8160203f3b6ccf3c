"""The icons of the pages: 24x24 outlines, drawn for this benchmark."""

from __future__ import annotations

SHAPES = {
    "search": '<circle cx="11" cy="11" r="7"/><path d="M16.5 16.5 21 21"/>',
    "bell": '<path d="M6 16v-6a6 6 0 0 1 12 0v6l2 2H4z"/><path d="M10 21h4"/>',
    "home": '<path d="M3 11l9-8 9 8v10h-6v-6H9v6H3z"/>',
    "user": '<circle cx="12" cy="8" r="4"/><path d="M4 21a8 8 0 0 1 16 0"/>',
    "users": '<circle cx="9" cy="8" r="4"/><path d="M2 21a7 7 0 0 1 14 0"/>'
    '<path d="M16 4.5a4 4 0 0 1 0 7M18 15a6 6 0 0 1 4 6"/>',
    "cart": '<path d="M2 3h3l3 12h10l3-9H6"/><circle cx="9" cy="20" r="1.5"/>'
    '<circle cx="17" cy="20" r="1.5"/>',
    "heart": '<path d="M12 20 4 12a5 5 0 0 1 8-6 5 5 0 0 1 8 6z"/>',
    "star": '<path d="M12 3l2.8 5.8 6.2.9-4.500 4.400 1.100 6.200L12 17.300l-5.600 3 1.100-6.200'
    'L3 9.700l6.200-.9z"/>',
    "check": '<path d="M4 12.500 9.500 18 20 6.500"/>',
    "x": '<path d="M5 5l14 14M19 5 5 19"/>',
    "plus": '<path d="M12 5v14M5 12h14"/>',
    "minus": '<path d="M5 12h14"/>',
    "right": '<path d="M9 5l7 7-7 7"/>',
    "left": '<path d="M15 5l-7 7 7 7"/>',
    "down": '<path d="M5 9l7 7 7-7"/>',
    "up": '<path d="M5 15l7-7 7 7"/>',
    "calendar": '<rect x="3" y="5" width="18" height="16" rx="2"/>'
    '<path d="M3 10h18M8 3v4M16 3v4"/>',
    "mail": '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="M3 7l9 7 9-7"/>',
    "lock": '<rect x="5" y="11" width="14" height="10" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
    "eye": '<path d="M2 12q10-14 20 0-10 14-20 0z"/><circle cx="12" cy="12" r="3"/>',
    "sliders": '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/>'
    '<circle cx="9" cy="17" r="2"/>',
    "bars": '<path d="M5 20V10M12 20V4M19 20v-7"/>',
    "pulse": '<path d="M2 12h5l3-8 4 16 3-8h5"/>',
    "clock": '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 3"/>',
    "trash": '<path d="M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14"/>',
    "edit": '<path d="M4 20l1-5L16 4l4 4L9 19z"/>',
    "download": '<path d="M12 3v12M7 10l5 5 5-5M4 21h16"/>',
    "card": '<rect x="2" y="5" width="20" height="14" rx="2"/><path d="M2 10h20M6 15h4"/>',
    "globe": '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3q8 9 0 18-8-9 0-18z"/>',
    "moon": '<path d="M20 14A8.500 8.500 0 0 1 10 4a8.500 8.500 0 1 0 10 10z"/>',
    "image": '<rect x="3" y="4" width="18" height="16" rx="2"/><circle cx="9" cy="10" r="2"/>'
    '<path d="M4 19l6-6 4 4 3-3 4 4"/>',
    "file": '<path d="M6 3h8l5 5v13H6z"/><path d="M14 3v5h5"/>',
    "folder": '<path d="M3 6h6l2 3h10v11H3z"/>',
    "phone": '<path d="M5 3h4l2 5-3 2a12 12 0 0 0 6 6l2-3 5 2v4a2 2 0 0 1-2 2A17 17 0 0 1 3 5z"/>',
    "send": '<path d="M3 11 21 3l-8 18-2-8z"/>',
    "more": '<circle cx="5" cy="12" r="1"/><circle cx="12" cy="12" r="1"/>'
    '<circle cx="19" cy="12" r="1"/>',
    "shield": '<path d="M12 3l8 3v6q0 6-8 9-8-3-8-9V6z"/>',
    "bolt": '<path d="M13 2 4 14h7l-1 8 9-12h-7z"/>',
    "tag": '<path d="M3 12V3h9l9 9-9 9z"/><circle cx="8" cy="8" r="1.500"/>',
    "truck": '<path d="M2 6h12v11H2zM14 10h4l4 4v3h-8"/><circle cx="7" cy="18" r="2"/>'
    '<circle cx="18" cy="18" r="2"/>',
}

#: Pairs a builder confuses: what the defect "wrong icon" puts in.
CONFUSED = {
    "search": "eye",
    "bell": "mail",
    "home": "folder",
    "user": "lock",
    "users": "user",
    "cart": "card",
    "heart": "star",
    "star": "heart",
    "check": "x",
    "x": "plus",
    "plus": "minus",
    "minus": "plus",
    "right": "down",
    "left": "down",
    "down": "right",
    "up": "down",
    "calendar": "image",
    "mail": "card",
    "lock": "shield",
    "eye": "search",
    "sliders": "bars",
    "bars": "pulse",
    "pulse": "bars",
    "clock": "globe",
    "trash": "file",
    "edit": "send",
    "download": "up",
    "card": "mail",
    "globe": "clock",
    "moon": "globe",
    "image": "file",
    "file": "folder",
    "folder": "file",
    "phone": "mail",
    "send": "edit",
    "more": "sliders",
    "shield": "lock",
    "bolt": "pulse",
    "tag": "bolt",
    "truck": "cart",
}


def svg(name: str, *, size: str = "20", width: str = "2") -> str:
    """Return the icon as inline SVG in the text colour."""
    return (
        f'<svg data-icon="{name}" width="{size}" height="{size}" viewBox="0 0 24 24" fill="none" '
        f'stroke="currentColor" stroke-width="{width}" stroke-linecap="round" '
        f'stroke-linejoin="round">{SHAPES[name]}</svg>'
    )
