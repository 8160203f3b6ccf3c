"""What happens between two measurements: the fixer and what it changed."""
