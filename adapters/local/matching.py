"""A plan as FTS5 expressions. Every term is quoted, so no text can be taken for an operator."""

from .analysis import site_mark
from .query import Plan


def quoted(term: str) -> str:
    """Return one term, or a run of them, as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


def phrase(run: tuple[str, ...]) -> str:
    """Return a run of terms as a phrase."""
    return quoted(" ".join(run))


def prefix(begin: str) -> str:
    """Return an expression for every term that begins so."""
    return f"{quoted(begin)} *"


def any_of(expressions: list[str]) -> str:
    """Join expressions of which one must hold."""
    return f"({' OR '.join(expressions)})"


def filtered(core: str, plan: Plan) -> str:
    """Return ``core`` with what the plan requires and excludes."""
    required = [core, *map(phrase, plan.required)]
    if plan.sites:
        required.append(any_of([quoted(site_mark(name)) for name in plan.sites]))
    excluded = [
        *map(phrase, plan.excluded),
        *(quoted(site_mark(name)) for name in plan.excluded_sites),
    ]
    wanted = " AND ".join(required)
    return f"({wanted}) NOT {any_of(excluded)}" if excluded else wanted


def only_filter(plan: Plan) -> str | None:
    """Return what a plan without a word to look for still asks for: a site, as a whole."""
    if not plan.sites:
        return None
    core = any_of([quoted(site_mark(name)) for name in plan.sites])
    return filtered(core, plan)
