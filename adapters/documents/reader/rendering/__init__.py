"""The chosen part of a page as markdown: tidied first, then written."""
