"""Colour tokens of the pages, in steps as design systems have them, and the way to a neighbour."""

from __future__ import annotations

STEPS = (50, 100, 200, 300, 400, 500, 600, 700, 800, 900)

_TABLE = """
slate f8fafc f1f5f9 e2e8f0 cbd5e1 94a3b8 64748b 475569 334155 1e293b 0f172a
gray f9fafb f3f4f6 e5e7eb d1d5db 9ca3af 6b7280 4b5563 374151 1f2937 111827
zinc fafafa f4f4f5 e4e4e7 d4d4d8 a1a1aa 71717a 52525b 3f3f46 27272a 18181b
red fef2f2 fee2e2 fecaca fca5a5 f87171 ef4444 dc2626 b91c1c 991b1b 7f1d1d
orange fff7ed ffedd5 fed7aa fdba74 fb923c f97316 ea580c c2410c 9a3412 7c2d12
amber fffbeb fef3c7 fde68a fcd34d fbbf24 f59e0b d97706 b45309 92400e 78350f
green f0fdf4 dcfce7 bbf7d0 86efac 4ade80 22c55e 16a34a 15803d 166534 14532d
emerald ecfdf5 d1fae5 a7f3d0 6ee7b7 34d399 10b981 059669 047857 065f46 064e3b
teal f0fdfa ccfbf1 99f6e4 5eead4 2dd4bf 14b8a6 0d9488 0f766e 115e59 134e4a
sky f0f9ff e0f2fe bae6fd 7dd3fc 38bdf8 0ea5e9 0284c7 0369a1 075985 0c4a6e
blue eff6ff dbeafe bfdbfe 93c5fd 60a5fa 3b82f6 2563eb 1d4ed8 1e40af 1e3a8a
indigo eef2ff e0e7ff c7d2fe a5b4fc 818cf8 6366f1 4f46e5 4338ca 3730a3 312e81
violet f5f3ff ede9fe ddd6fe c4b5fd a78bfa 8b5cf6 7c3aed 6d28d9 5b21b6 4c1d95
pink fdf2f8 fce7f3 fbcfe8 f9a8d4 f472b6 ec4899 db2777 be185d 9d174d 831843
rose fff1f2 ffe4e6 fecdd3 fda4af fb7185 f43f5e e11d48 be123c 9f1239 881337
"""

PALETTE: dict[str, dict[int, str]] = {
    parts[0]: dict(zip(STEPS, (f"#{p}" for p in parts[1:]), strict=True))
    for parts in (line.split() for line in _TABLE.split("\n") if line.strip())
}
_BY_HEX = {
    colour: (family, step) for family, steps in PALETTE.items() for step, colour in steps.items()
}


def css() -> str:
    """Return the tokens as custom properties of ``:root``."""
    rows = [
        f"--{family}-{step}:{colour};"
        for family, steps in PALETTE.items()
        for step, colour in steps.items()
    ]
    return ":root{--white:#ffffff;" + "".join(rows) + "}"


def neighbours(colour: str) -> tuple[str, ...]:
    """Return the tokens one step beside *colour* (``#rrggbb``), darker first; () for no token.

    White's neighbour is the first gray step that a person can see on it.
    """
    if colour == "#ffffff":
        return (PALETTE["slate"][100], PALETTE["gray"][100])
    if colour not in _BY_HEX:
        return ()
    family, step = _BY_HEX[colour]
    at = STEPS.index(step)
    found = [STEPS[i] for i in (at + 1, at - 1) if 0 <= i < len(STEPS)]
    return tuple(PALETTE[family][s] for s in found)
