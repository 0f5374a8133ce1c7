"""What a web service is, and what runs one: declared, written, sent, paged, decoded."""
