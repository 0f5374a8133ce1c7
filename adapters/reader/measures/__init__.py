"""Measures of a page, for the models that predict its kind and its content."""
