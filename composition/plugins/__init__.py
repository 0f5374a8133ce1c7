"""Discover, choose and load plugins, and collect what they register."""
