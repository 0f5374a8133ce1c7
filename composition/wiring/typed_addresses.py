"""Tell a URL that was typed without https:// from the name of a file."""

import os

from webseam.adapters import folder_files
from webseam.kernel.urls.spelling import complete_web_url


def typed_url(word: str) -> str | None:
    """Return the https URL of a host name; None for a file, also one that does not exist.

    >>> typed_url("example.com/tides"), typed_url("notes.md"), typed_url("example.com/notes.md")
    ('https://example.com/tides', None, 'https://example.com/notes.md')
    """
    url = complete_web_url(word)
    if url == word or os.path.lexists(word):
        return None
    host = word.partition("/")[0].partition(":")[0]
    # A misspelt file is more likely than a host whose top level is the ending of a document.
    is_file_name = host == word and host.rpartition(".")[2].lower() in folder_files.DOCUMENT_ENDINGS
    return None if is_file_name else url
