"""What may be asked, and what may be believed of an answer."""
