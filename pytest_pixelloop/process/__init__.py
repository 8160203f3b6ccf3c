"""Commands that are run beside the tests: their words, their groups, their output."""
