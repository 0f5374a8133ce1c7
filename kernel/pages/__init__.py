"""What is decided about a page after it was read: its form, its budget, its parts."""
