"""The health of search and pages: the first backend, its fallbacks, and their problems."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from returns.result import Failure

from webseam.adapters.services.declaration import Capability
from webseam.kernel.planner.selection import BackendSelection
from webseam.ports.errors import InvalidSetting, NotConfigured, WebError

from ..wiring.backend_choice import choose_backend_rows
from ..wiring.backend_rows import BackendRow, Root
from ..wiring.target_health import TargetHealth
from .health_parts import BackendProblem, HealthPart, State, backend_problem, health_fix_command
from .probes import DOUBTFUL_STATE, Diagnosis

_CAPABILITY_LABELS: Mapping[Capability, str] = {"search": "Search", "extract": "Pages"}
_MAX_NAMED_BACKENDS = 2
# The causes that the ledger stores for a refused key.
_KEY_REFUSAL_CAUSES = ("key", "forbidden")


class BackendStates(msgspec.Struct, frozen=True, kw_only=True):
    """The current diagnosis of each backend, and its health in the ledger."""

    diagnoses: Mapping[str, Diagnosis]
    health: Sequence[TargetHealth] = ()

    def probe_error(self, name: str) -> WebError | None:
        """Return the error of the probe, if it failed."""
        diagnosis = self.diagnoses.get(name)
        return diagnosis.probe.error if diagnosis is not None and diagnosis.probe else None

    def is_working(self, name: str) -> bool:
        """Tell whether the probe succeeded."""
        diagnosis = self.diagnoses.get(name)
        return diagnosis is not None and diagnosis.probe is not None and not self.probe_error(name)

    def find_problem(self, name: str) -> BackendProblem | None:
        """Return the problem of a backend, from its probe or from the ledger."""
        if (error := self.probe_error(name)) is not None:
            return backend_problem(error, name)
        if (
            diagnosis := self.diagnoses.get(name)
        ) is not None and diagnosis.state == DOUBTFUL_STATE:
            reason = "its key does not look like one"
            return BackendProblem(word="doubtful", reason=reason, fix=f"webseam setup {name}")
        return None if self.is_working(name) else self._ledger_problem(name)

    def _ledger_problem(self, name: str) -> BackendProblem | None:
        ailing = next((row for row in self.health if row.backend == name and row.reason), None)
        if ailing is None:
            return None
        is_refused = ailing.cause in _KEY_REFUSAL_CAUSES
        fix = f"webseam setup {name}" if is_refused else f"webseam doctor {name} --live"
        return BackendProblem(word="left alone", reason=ailing.reason, fix=fix)


def answering_part(capability: Capability, root: Root, states: BackendStates) -> HealthPart:
    """Return the health of the backends that a call uses by default."""
    chosen = choose_backend_rows(capability, root)
    label = _CAPABILITY_LABELS[capability]
    if isinstance(chosen, Failure):
        return _no_backend_part(label, chosen.failure())
    choice, rows = chosen.unwrap()
    names = [row.candidate.name for row in rows]
    working = next((name for name in names if states.is_working(name)), None)
    problem = states.find_problem(names[0])
    route = names if choice.reason == "route" else []
    healthy = (name for name in route if states.find_problem(name) is None)
    answering = working or next(healthy, None)
    if problem is not None and answering is None:
        verb = "do" if capability == "extract" else "does"
        clause_start = f"{label.lower()} {verb} not work through {names[0]}: "
        return _failing_part(label, names[0], problem, states, clause_start)
    tried = working is not None
    state: State = "good" if problem is None else "care"
    word = _state_word(label, choice, tried=tried)
    clause = _works_clause(capability, answering or names[0], choice, tried=tried)
    detail = _answering_detail(rows[0], names, states, root)
    return HealthPart(label, state, word, detail, clause=clause)


def _no_backend_part(label: str, error: WebError) -> HealthPart:
    noun = "search" if label == "Search" else "reader of pages"
    name = error.backend
    if isinstance(error, NotConfigured) and name is None:
        clause = f"no {noun} is set up"
        return HealthPart(label, "off", "not set up", error.message, "webseam setup", clause)
    return _misconfigured_part(label, name or "", error, f"{label.lower()} cannot be used: ")


def _misconfigured_part(label: str, name: str, error: WebError, clause_start: str) -> HealthPart:
    is_file_error = isinstance(error, InvalidSetting) or not name
    word = "incomplete" if isinstance(error, NotConfigured) else "wrong"
    fix = "webseam config show" if is_file_error else health_fix_command(error, name)
    clause = clause_start + error.message.rstrip(".")
    return HealthPart(label, "bad", word, error.message, fix, clause, label.lower(), about=name)


def _failing_part(
    label: str, name: str, problem: BackendProblem, states: BackendStates, clause_start: str
) -> HealthPart:
    diagnosis = states.diagnoses[name]
    probe = diagnosis.probe
    detail = diagnosis.advice or f"{name}: {problem.reason}"
    if probe is not None and probe.error is not None:
        detail = f"{probe.error.message} {probe.advice}".strip()
    clause = clause_start + problem.reason
    return HealthPart(
        label, "bad", problem.word, detail, problem.fix, clause, label.lower(), about=name
    )


def _state_word(label: str, choice: BackendSelection, *, tried: bool) -> str:
    if tried:
        return "work" if label == "Pages" else "works"
    if choice.reason == "keyless":
        return "no key"
    return "built in" if choice.reason == "embedded" else "set up"


def _answering_detail(
    first: BackendRow, names: Sequence[str], states: BackendStates, root: Root
) -> str:
    diagnosis = states.diagnoses.get(names[0])
    duration = ""
    if diagnosis is not None and diagnosis.probe is not None:
        duration = f", {diagnosis.probe.seconds:.2f} s"
    if names[0] == "pages":
        scripts = "" if root.settings.render.mode == "never" else "; Chromium for scripts"
        return f"read on this machine{duration}{scripts}"
    fallbacks = names[1 : 1 + _MAX_NAMED_BACKENDS]
    more_count = len(names) - 1 - len(fallbacks)
    more_text = f" and {more_count} more" if more_count else ""
    fallback_text = f"; then {', '.join(fallbacks)}" if fallbacks else ""
    risk = f"; mind that {first.risk}" if first.risk else ""
    return f"{names[0]}{duration}{fallback_text}{more_text}{risk}"


def _works_clause(
    capability: Capability, name: str, choice: BackendSelection, *, tried: bool
) -> str:
    if capability == "extract":
        reader = "on this machine" if name == "pages" else f"by {name}"
        return "pages work" if tried else f"pages are read {reader}"
    if tried:
        return f"search works through {name}"
    if choice.reason == "keyless":
        return f"search goes to {name}, which needs no key"
    return f"search is set up through {name}"


def failing_backend_parts(
    rows: Sequence[BackendRow], states: BackendStates, answering: Sequence[HealthPart]
) -> Iterator[HealthPart]:
    """Yield the backends that are set up, fail, and are not in ``answering``."""
    reported_names = {part.about for part in answering}
    for row in rows:
        name, problem = row.candidate.name, row.problem
        if name in reported_names:
            continue
        trouble = states.find_problem(name) if row.candidate.ready else None
        if problem is not None and (row.is_begun or isinstance(problem, InvalidSetting)):
            yield _misconfigured_part(name, name, problem, f"{name} cannot be used: ")
        elif trouble is not None:
            yield _failing_part(name, name, trouble, states, f"{name} does not work: ")


def backend_health_part(row: BackendRow, states: BackendStates) -> HealthPart:
    """Return the health of one backend that the user named."""
    name = row.candidate.name
    if (problem_part := next(failing_backend_parts([row], states, ()), None)) is not None:
        return problem_part
    if (probe := states.diagnoses[name].probe) is not None:
        clause = f"{name} {'works' if probe.error is None else 'does not work'}"
        state: State = "good" if probe.error is None else "bad"
        return HealthPart(name, state, word=clause, clause=clause, subject=name)
    fix = f"webseam setup {name}" if row.problem is not None and row.service is not None else ""
    if row.candidate.keyless and not row.candidate.ready:
        state, word = "off", "needs no key"
    elif row.problem is not None:
        state, word = "off", "is not set up"
    else:
        state, word, fix = "good", "is set up", ""
    return HealthPart(name, state, word, fix=fix, clause=f"{name} {word}")
