"""Run the command line as ``python -m pytest_pixelloop``."""

from __future__ import annotations

import sys

from pytest_pixelloop.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
