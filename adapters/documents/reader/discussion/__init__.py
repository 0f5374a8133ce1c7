"""What readers wrote under a page, or in a forum."""
