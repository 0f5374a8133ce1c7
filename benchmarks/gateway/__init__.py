"""The gateway under load, and over hours of faults."""
