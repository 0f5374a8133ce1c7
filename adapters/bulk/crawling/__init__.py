"""Fetching many pages as a guest: robots.txt, a pace for each host, and all of it kept as WARC."""
