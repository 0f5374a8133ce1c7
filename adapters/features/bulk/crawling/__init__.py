"""Polite crawling: robots.txt, a pace for each host, and WARC files of everything fetched."""
