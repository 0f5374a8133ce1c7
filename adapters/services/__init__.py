"""Web services: how one is declared, and the backend that sends, pages and decodes its calls."""
