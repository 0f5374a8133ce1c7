"""Stores that several machines share in one PostgreSQL."""
