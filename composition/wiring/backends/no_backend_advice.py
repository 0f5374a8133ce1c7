"""What to tell somebody whose search reached nobody."""

from ....kernel.planner.selection import OUT_OF_REACH, BackendSelection
from ....ports.errors import NobodyAnswered, WebError
from ... import remedies

_OUT_OF_REACH = frozenset(str(kind.__struct_config__.tag) for kind in OUT_OF_REACH)


def no_backend_advice(choice: BackendSelection, error: WebError | None) -> str:
    """Return what to do for somebody who named nobody, and reached nobody; else nothing."""
    if choice.reason != "keyless" or error is None or not _is_out_of_reach(error):
        return ""
    return remedies.OFFLINE_REMEDY


def _is_out_of_reach(error: WebError) -> bool:
    if isinstance(error, NobodyAnswered):
        return all(one.outcome in _OUT_OF_REACH for one in error.attempts)
    return isinstance(error, OUT_OF_REACH)
