"""What every test of this project shares."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import tempfile

from hypothesis import settings

pytest_plugins = ["pytester"]

# The keys of sealed evidence are no business of the user who runs these tests.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="pixelloop-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

# A shell starts a background job with Ctrl-C ignored, and every process below inherits that: a test
# that interrupts one would wait for ever. With a handler here, children begin with the default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with contextlib.suppress(ValueError):  # not in the main thread: nothing can be set
        signal.signal(signal.SIGINT, signal.default_int_handler)

# A property says what is right, not how fast: a busy machine must not fail it. The same examples
# every time, so that a red build is red again.
settings.register_profile("pixelloop", deadline=None, derandomize=True)
settings.load_profile("pixelloop")
