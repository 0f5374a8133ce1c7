"""Bulk extraction: crawling, dataset files and engines that run shards."""
