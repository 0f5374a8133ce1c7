"""Word before 2007: text in pieces, and what its paragraphs and letters are, in a compound file."""
