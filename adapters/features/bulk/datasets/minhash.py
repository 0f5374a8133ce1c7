"""Seeded MinHash signatures by rensa: the same text has the same signature in every process."""

from collections.abc import Sequence
from typing import Final

_SEED: Final = 42
_SAMPLE_SHINGLES: Final = ("the quick brown fox jumps", "quick brown fox jumps over")
_SAMPLE_SIGNATURE_START: Final = (3416961315, 3346357008, 3274915766)


def minhash_signature(shingles: Sequence[str], permutations: int) -> list[int]:
    """Return the signature of a text."""
    import rensa  # noqa: PLC0415  an extra

    minhash = rensa.RMinHash(num_perm=permutations, seed=_SEED)
    minhash.update(list(shingles))
    signature: list[int] = minhash.digest()
    return signature


def has_known_signature(permutations: int) -> bool:
    """Tell whether the installed library still computes the known signature."""
    return minhash_signature(_SAMPLE_SHINGLES, permutations)[
        : len(_SAMPLE_SIGNATURE_START)
    ] == list(_SAMPLE_SIGNATURE_START)
