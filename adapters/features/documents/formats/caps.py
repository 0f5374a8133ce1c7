"""The caps of files, by name, and what each of them cuts.

A page names in ``cuts`` the caps that its file met. Each of them loses text, so the page is not
complete.
"""

from typing import Final

CAPS: Final = {
    "cells": "a cell after 131,072 characters, or 2,000 where a table has many long ones",
    "chapters": "the chapters of a book that are encrypted",
    "characters": "the text after 4,000,000 characters",
    "columns": "the columns of a table after the 250th, or the usual width of a CSV file",
    "damaged": "the parts of a damaged file that cannot be read",
    "depth": "messages inside messages after the third level",
    "entries": "the entries of a feed after the 500th",
    "letters": "letters of a PDF that their font does not tell",
    "messages": "the messages of a mailbox after 1,000, or after 4,000,000 characters",
    "names": "the names in an archive after the 2,000th, or after 32 MB",
    "outputs": "an output of a notebook after 5,000 characters",
    "pages": "the pages of a PDF after the 2,000th",
    "rows": "the rows of a table that do not fit, or that follow 10,000 empty ones",
    "sheets": "the sheets of a workbook that do not fit",
    "slides": "the slides after the 500th",
    "summaries": "the summary of a feed's entry after 1,000 characters",
    "unpacked_bytes": "what a compressed file has after 32 MB",
    "work": "what cannot be read in about a second",
}  # fmt: skip
