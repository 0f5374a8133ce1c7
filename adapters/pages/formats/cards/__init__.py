"""Calendars and cards of contacts, which are written in lines of one make."""
