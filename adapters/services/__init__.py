"""Web services: their declarations, and the backend that sends, pages and decodes their calls."""
