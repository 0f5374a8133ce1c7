"""The faults of the server, grouped by what they break."""
