"""Declarations of models that search the web and cite pages, one file each."""
