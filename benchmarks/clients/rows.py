"""The rows that the clients without a library of their own decode into, with msgspec."""

import msgspec


class Row(msgspec.Struct, frozen=True):
    """One row of the plain JSON API."""

    title: str
    url: str
    description: str = ""
    score: float | None = None


class Answer(msgspec.Struct, frozen=True):
    """The body of the plain JSON API."""

    results: tuple[Row, ...]


DECODER = msgspec.json.Decoder(Answer)
