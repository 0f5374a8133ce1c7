"""Check the fields of requests, the filters, and the rows of backends."""
