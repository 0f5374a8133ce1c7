"""Pieces of a stream joined: of base64, and of fields that nothing here knows."""

import base64
from collections.abc import Mapping, Sequence

# Fields of the stream's own that name a piece.
_LABELS = frozenset({"type", "index", "id", "role"})
# What is kept of unknown fields is bounded, so that a long stream takes no more time per piece.
_MAX_UNKNOWN_CHARS, _MAX_UNKNOWN_ITEMS = 64 * 1024, 1000


def join_base64(pieces: Sequence[str]) -> str:
    """Join pieces of base64, each of which may have its own padding."""
    if len(pieces) == 1:
        return pieces[0]
    if not any(piece.endswith("=") for piece in pieces[:-1]):
        return "".join(pieces)
    try:
        return base64.b64encode(b"".join(base64.b64decode(piece) for piece in pieces)).decode()
    except ValueError:
        return "".join(pieces)


def join_unknown(earlier: object, piece: object) -> object:
    """Join two pieces of an unknown field as SDKs do: texts and lists grow, objects are merged.

    The same value twice is one value that was repeated. A value stops growing at a maximum.
    """
    if earlier is None or earlier == piece:
        return piece
    if isinstance(earlier, str) and isinstance(piece, str):
        return earlier if len(earlier) > _MAX_UNKNOWN_CHARS else earlier + piece
    if isinstance(earlier, list) and isinstance(piece, list):
        return earlier if len(earlier) > _MAX_UNKNOWN_ITEMS else [*earlier, *piece]
    if isinstance(earlier, Mapping) and isinstance(piece, Mapping):
        merged = dict(earlier)
        for name, value in piece.items():
            if name not in merged and len(merged) < _MAX_UNKNOWN_ITEMS:
                merged[name] = value
            elif name in merged and name not in _LABELS and value is not None:
                merged[name] = join_unknown(merged[name], value)
        return merged
    return piece
