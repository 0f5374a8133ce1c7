"""What a body is: its first bytes, its declared type, its file name, its charset."""
