"""Words and meaning as one score: what a passage counts by its words, and a little for being near.

Words are counted by the best of the query's passages, meaning by the nearest of all. So the share
that meaning has is the same for every model and every query. It was chosen on five collections with
the weakest model there is: more of it loses some, and a fusion by ranks lost four of the five
(docs/document-index.md).
"""

from collections.abc import Sequence

import msgspec

VECTOR_WEIGHT = 0.25


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """What a passage counts by its words, and how near it is, from 0 to 1."""

    document: int
    words: float
    near: float


def fuse_scores(passages: Sequence[Ranking]) -> list[tuple[int, float]]:
    """Return where the best passage of each document stands, and its score; the best first."""
    most = max((each.words for each in passages), default=0.0) or 1.0
    scores = [each.words / most + VECTOR_WEIGHT * each.near for each in passages]
    best: dict[int, int] = {}
    for at, each in enumerate(passages):
        known = best.get(each.document)
        if known is None or scores[at] > scores[known]:
            best[each.document] = at
    order = sorted(best.values(), key=lambda at: (-scores[at], passages[at].document))
    return [(at, scores[at]) for at in order]
