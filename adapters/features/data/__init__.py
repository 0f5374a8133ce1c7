"""What a page offers for typed values: its visible text, its boxes, its linked data."""
