"""What is measured of a page, for the model that chooses its content."""
