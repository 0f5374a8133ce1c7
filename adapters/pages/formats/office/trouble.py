"""The two ways a document's insides can be wrong; they do not leave this package."""


class BrokenFileError(Exception):
    """Cut, encrypted, not well-formed, or with a document type declaration."""


class TooLargeError(Exception):
    """Deeper or larger than any document a person made."""
