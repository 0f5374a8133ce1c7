"""What makes parts of the project, and is not shipped with it."""
