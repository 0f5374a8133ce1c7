"""Pages, office files, PDF, mail and books, read into markdown."""
