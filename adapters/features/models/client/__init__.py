"""The client: a request, its attempts, its answer."""
