"""Records rendered for people: terminal lines, Markdown, the fixer's brief."""
