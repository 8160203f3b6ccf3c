"""Pure rules over values and arrays: no I/O, clock, environment, pytest, browser or YAML."""
