"""What every test of this project shares."""

from __future__ import annotations

from hypothesis import settings

pytest_plugins = ["pytester"]

# A property says what is right, not how fast: a busy machine must not fail it. The same examples
# every time, so that a red build is red again.
settings.register_profile("pixelloop", deadline=None, derandomize=True)
settings.load_profile("pixelloop")
