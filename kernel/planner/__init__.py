"""Plan calls: choose whom to ask, in which order, and when to ask again. Pure."""
