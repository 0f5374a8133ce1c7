"""The page at ``/``: a search side by side, a page as it is read, figures as they come in."""
