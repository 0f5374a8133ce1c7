"""What all errors share: who failed, on which URL, and whether trying again can help."""

from typing import ClassVar

import msgspec

from .facts import Facts

# The backend that reads pages from this machine, without any service.
PAGES_READER = "pages"


class ErrorFields(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The common fields. Not a member of the union: only its subclasses are ever made.

    Each of them has a ``message``: one sentence for a person or a model, from the typed fields.
    """

    backend: str | None = None
    url: str | None = None

    retryable: ClassVar[bool] = False
    usual: ClassVar[Facts]

    def __init_subclass__(cls) -> None:
        """Refuse a kind that does not say what it means."""
        super().__init_subclass__()
        if "usual" not in vars(cls):
            message = f"{cls.__name__} has no facts: give it `usual`"
            raise TypeError(message)

    @property
    def facts(self) -> Facts:
        """What it means: those of its kind, unless its fields say more."""
        return self.usual

    @property
    def kind(self) -> str:
        """The word that names this error in JSON."""
        return str(self.__struct_config__.tag)

    @property
    def who(self) -> str:
        """The backend's name, or words that stand in for it.

        Our own reader is nobody to a person: there it is the site that answers.
        """
        host = (self.url or "").partition("://")[2].partition("/")[0]
        return host if self.backend == PAGES_READER and host else self.backend or "the backend"


def seconds_text(number: float) -> str:
    """Write a duration the way people do.

    >>> seconds_text(2.0), seconds_text(0.25)
    ('2 s', '0.25 s')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".") + " s"


def detail_text(detail: str) -> str:
    """Append what the other side said, if it said anything.

    >>> "It failed" + detail_text("no credit.")
    'It failed: no credit'
    """
    # The full stop is ours.
    return f": {detail.rstrip('. ')}" if detail else ""


def end_sentence(text: str) -> str:
    """End a sentence, unless somebody else's words have ended it.

    >>> end_sentence("Refused by p: no"), end_sentence("Refused by p: no!")
    ('Refused by p: no.', 'Refused by p: no!')
    """
    return text if text.endswith(("!", "?")) else f"{text}."
