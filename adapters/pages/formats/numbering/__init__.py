"""Numbers that a program sets before headings and items; no file has them among its words."""
