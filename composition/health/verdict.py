"""The verdict over all parts: one sentence, and the command to type next."""

from collections.abc import Iterator, Sequence

import msgspec

from .health_parts import HealthPart

_TRY = "webseam search tide tables"
_LIVE = "webseam doctor --live"
_WORDS = ("search", "pages", "no ", "models", "questions", "several", "the ", "a ")
_MAX_NAMED_PARTS = 3
# Who has none of these may not want any.
_OPTIONAL = ("Models", "X", "Index")


class HealthVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """``healthy`` says that nothing which is set up fails; ``why`` what the command does.

    ``idle`` says that nothing is set up of what was looked at.
    """

    healthy: bool
    idle: bool = False
    sentence: str
    command: str
    why: str = ""


def judge_health(
    parts: Sequence[HealthPart], *, live: bool, is_named: bool = False
) -> HealthVerdict:
    """Return the verdict; what does not work is said last, where it is remembered.

    ``is_named``: somebody asked about these parts alone.
    """
    failed = [part for part in parts if part.state == "bad"]
    clauses = [part.clause for part in parts if part.clause and part.state != "bad"]
    sentence = "; ".join([*clauses, *_failures(failed)])
    # A name is spelled as it is typed, also at the beginning.
    own = any(sentence.startswith(word) for word in _WORDS)
    command, why = _next(parts, failed, live=live, named=is_named)
    return HealthVerdict(
        healthy=not failed,
        idle=all(part.state == "off" for part in parts),
        sentence=f"{sentence[:1].upper() if own else sentence[:1]}{sentence[1:]}.",
        command=command,
        why=why,
    )


def _failures(failed: Sequence[HealthPart]) -> Iterator[str]:
    """Yield a clause for each kind of failure: several that failed alike share one."""
    for word in dict.fromkeys(part.word for part in failed):
        alike = [part for part in failed if part.word == word]
        names = dict.fromkeys(part.subject for part in alike)
        if len(names) == 1:
            yield alike[0].clause
        else:
            yield f"{_listed([*names])} do not work: {word}"


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them.

    >>> _listed(["search", "X"]), _listed(["a", "b", "c", "d", "e"])
    ('search and X', 'a, b, c and 2 more')
    """
    shown, rest = names[:_MAX_NAMED_PARTS], len(names) - _MAX_NAMED_PARTS
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _next(
    parts: Sequence[HealthPart], failed: Sequence[HealthPart], *, live: bool, named: bool
) -> tuple[str, str]:
    """Return the command that helps most, and why."""
    fixes = [part.fix for part in failed if part.fix]
    if fixes:
        return fixes[0], ""
    wanted = [part for part in parts if part.name not in _OPTIONAL or part.state == "care"]
    missing = next((part.fix for part in wanted if part.fix), "")
    if missing:
        return missing, ""
    if not live:
        names = " ".join(part.name for part in parts) if named else ""
        return f"{_LIVE} {names}".rstrip(), "makes one real call to each that is set up"
    offer = next((part.fix for part in parts if part.fix), "")
    return (_TRY, "") if named or not offer else (offer, "if you want one")
