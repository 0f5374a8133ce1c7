"""Seeded MinHash signatures by rensa: the same text has the same signature in every process."""

from collections.abc import Sequence
from typing import Final

_MINHASH_SEED: Final = 42
_SAMPLE: Final = ("the quick brown fox jumps", "quick brown fox jumps over")
_SAMPLE_START: Final = (3416961315, 3346357008, 3274915766)


def minhash_signature(shingles: Sequence[str], permutations: int) -> list[int]:
    """Return the signature of a text."""
    import rensa  # noqa: PLC0415  an extra

    minhash = rensa.RMinHash(num_perm=permutations, seed=_MINHASH_SEED)
    minhash.update(list(shingles))
    signature: list[int] = minhash.digest()
    return signature


def matches_known_minhash(permutations: int) -> bool:
    """Tell whether the installed library still computes the known signature."""
    return minhash_signature(_SAMPLE, permutations)[: len(_SAMPLE_START)] == list(_SAMPLE_START)
