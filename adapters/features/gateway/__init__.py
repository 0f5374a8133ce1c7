"""Building blocks of gateway dialects: calls, requests, replies and refusals."""
