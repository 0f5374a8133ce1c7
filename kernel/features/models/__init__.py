"""Check model requests and answers, and run small model tasks. Pure."""
