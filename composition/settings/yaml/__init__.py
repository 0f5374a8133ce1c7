"""Edit a user's settings file and keep every other byte."""
