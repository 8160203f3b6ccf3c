"""The pytest plugin: hooks only, everything heavy is imported when a visual test needs it."""
