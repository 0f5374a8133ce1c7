"""Find words in text, fold their spelling and stem them. Every module is pure."""
