"""Comments under a page and posts of a forum."""
