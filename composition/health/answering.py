"""Search and pages: who answers first, who stands in, and whether they do."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from returns.result import Failure

from ...adapters.service.declaration import Capability
from ...kernel.planner.selection import BackendSelection
from ...ports.errors import InvalidSetting, NotConfigured, WebError
from ..wiring.backends.backend_choice import choose_rows
from ..wiring.backends.backend_rows import BackendRow, Root
from ..wiring.target_health import TargetHealth
from .health_parts import BackendProblem, HealthPart, State, backend_problem, fix_command
from .probes import DOUBTFUL, Diagnosis

_LABELS: Mapping[Capability, str] = {"search": "Search", "extract": "Pages"}
_MAX_NAMED_BACKENDS = 2
# What the ledger calls a refused key.
_ABOUT_KEYS = ("key", "forbidden")


class BackendStates(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of each backend: how it is now, and what the ledger remembers."""

    diagnoses: Mapping[str, Diagnosis]
    health: Sequence[TargetHealth] = ()

    def error(self, name: str) -> WebError | None:
        """Return what a call just now failed with."""
        diagnosis = self.diagnoses.get(name)
        return diagnosis.probe.error if diagnosis is not None and diagnosis.probe else None

    def works(self, name: str) -> bool:
        """Tell whether a call just now was answered."""
        diagnosis = self.diagnoses.get(name)
        return diagnosis is not None and diagnosis.probe is not None and not self.error(name)

    def trouble(self, name: str) -> BackendProblem | None:
        """Return what is wrong with a backend, from a call just now or from the last ones."""
        error = self.error(name)
        if error is not None:
            return backend_problem(error, name)
        diagnosis = self.diagnoses.get(name)
        if diagnosis is not None and diagnosis.state == DOUBTFUL:
            reason = "its key does not look like one"
            return BackendProblem(word="doubtful", reason=reason, fix=f"webseam setup {name}")
        return None if self.works(name) else self._memory(name)

    def _memory(self, name: str) -> BackendProblem | None:
        ill = next((one for one in self.health if one.backend == name and one.reason), None)
        if ill is None:
            return None
        fix = f"webseam setup {name}" if ill.cause in _ABOUT_KEYS else ""
        return BackendProblem(
            word="left alone", reason=ill.reason, fix=fix or f"webseam doctor {name} --live"
        )


def answering_part(capability: Capability, root: Root, states: BackendStates) -> HealthPart:
    """Say who answers a search, or reads a page, when nobody is named."""
    chosen = choose_rows(capability, root)
    label = _LABELS[capability]
    if isinstance(chosen, Failure):
        return _unanswered(label, chosen.failure())
    choice, rows = chosen.unwrap()
    names = [row.candidate.name for row in rows]
    working = next((name for name in names if states.works(name)), None)
    trouble = states.trouble(names[0])
    answering = working or _well(choice, names, states)
    if trouble is not None and answering is None:
        verb = "do" if capability == "extract" else "does"
        opening = f"{label.lower()} {verb} not work through {names[0]}: "
        return _failing(label, names[0], trouble, states, opening)
    tried = working is not None
    return HealthPart(
        name=label,
        state="good" if trouble is None else "care",
        word=_word(label, choice, tried=tried),
        detail=_detail(rows[0], names, states, root),
        clause=_clause(capability, answering or names[0], choice, tried=tried),
    )


def _well(choice: BackendSelection, names: Sequence[str], look: BackendStates) -> str | None:
    """Return the first that nothing is known against: the user named others to be asked in turn."""
    if choice.reason != "route":
        return None
    return next((name for name in names if look.trouble(name) is None), None)


def _unanswered(label: str, error: WebError) -> HealthPart:
    noun = "search" if label == "Search" else "reader of pages"
    name = error.backend
    if isinstance(error, NotConfigured) and name is None:
        return HealthPart(
            name=label,
            state="off",
            word="not set up",
            detail=error.message,
            fix="webseam setup",
            clause=f"no {noun} is set up",
        )
    return _wrong(label, name or "", error, f"{label.lower()} cannot be used: ")


def _wrong(label: str, name: str, error: WebError, opening: str) -> HealthPart:
    """Say what is wrong with what was set."""
    in_file = isinstance(error, InvalidSetting) or not name
    return HealthPart(
        name=label,
        state="bad",
        word="not whole" if isinstance(error, NotConfigured) else "wrong",
        detail=error.message,
        fix="webseam config show" if in_file else fix_command(error, name),
        clause=opening + error.message.rstrip("."),
        subject=label.lower(),
        about=name,
    )


def _failing(
    label: str, name: str, trouble: BackendProblem, look: BackendStates, opening: str
) -> HealthPart:
    diagnosis = look.diagnoses[name]
    probe = diagnosis.probe
    detail = diagnosis.advice or f"{name}: {trouble.reason}"
    if probe is not None and probe.error is not None:
        detail = f"{probe.error.message} {probe.advice}".strip()
    return HealthPart(
        name=label,
        state="bad",
        word=trouble.word,
        detail=detail,
        fix=trouble.fix,
        clause=opening + trouble.reason,
        subject=label.lower(),
        about=name,
    )


def _word(label: str, choice: BackendSelection, *, tried: bool) -> str:
    if tried:
        return "work" if label == "Pages" else "works"
    if choice.reason == "keyless":
        return "no key"
    return "built in" if choice.reason == "embedded" else "set up"


def _detail(first: BackendRow, names: Sequence[str], look: BackendStates, root: Root) -> str:
    diagnosis = look.diagnoses.get(names[0])
    took = ""
    if diagnosis is not None and diagnosis.probe is not None:
        took = f", {diagnosis.probe.seconds:.2f} s"
    if names[0] == "pages":
        scripts = "" if root.settings.render.mode == "never" else "; Chromium for scripts"
        return f"read on this machine{took}{scripts}"
    others = names[1 : 1 + _MAX_NAMED_BACKENDS]
    more = len(names) - 1 - len(others)
    then = f"; then {', '.join(others)}" if others else ""
    risk = f"; mind that {first.risk}" if first.risk else ""
    return f"{names[0]}{took}{then}{f' and {more} more' if more else ''}{risk}"


def _clause(capability: Capability, name: str, choice: BackendSelection, *, tried: bool) -> str:
    if capability == "extract":
        here = "pages are read on this machine" if name == "pages" else f"pages are read by {name}"
        return "pages work" if tried else here
    if tried:
        return f"search works through {name}"
    if choice.reason == "keyless":
        return f"search goes to {name}, which needs no key"
    return f"search is set up through {name}"


def other_parts(
    rows: Sequence[BackendRow], states: BackendStates, answering: Sequence[HealthPart]
) -> Iterator[HealthPart]:
    """Yield those that are set up and do not work, and were not spoken of before."""
    spoken = {part.about for part in answering}
    for row in rows:
        name, problem = row.candidate.name, row.problem
        if name in spoken:
            continue
        trouble = states.trouble(name) if row.candidate.ready else None
        if problem is not None and (row.begun or isinstance(problem, InvalidSetting)):
            yield _wrong(name, name, problem, f"{name} cannot be used: ")
        elif trouble is not None:
            yield _failing(name, name, trouble, states, f"{name} does not work: ")


def backend_part(row: BackendRow, states: BackendStates) -> HealthPart:
    """Say how one backend is that was asked about by its name."""
    name = row.candidate.name
    trouble = next(other_parts([row], states, ()), None)
    if trouble is not None:
        return trouble
    probe = states.diagnoses[name].probe
    if probe is not None:
        clause = f"{name} {'works' if probe.error is None else 'does not work'}"
        state: State = "good" if probe.error is None else "bad"
        return HealthPart(name=name, state=state, word=clause, clause=clause, subject=name)
    state = "off" if row.problem is not None else "good"
    open_to_all = row.candidate.keyless and not row.candidate.ready
    word = "needs no key" if open_to_all else "is set up"
    clause = f"{name} {'is not set up' if state == 'off' and not open_to_all else word}"
    fix = f"webseam setup {name}" if state == "off" and row.service is not None else ""
    return HealthPart(name=name, state=state, word=word, fix=fix, clause=clause)
