"""Render the chosen part of a page as markdown: tidy the tree, then write it."""
