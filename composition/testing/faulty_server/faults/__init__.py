"""The faults that the server can show, by what they break."""
