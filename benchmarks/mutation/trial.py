"""One trial: a child of this process runs some tests, with one module changed in its memory.

The child is a fork of a process that has everything imported but our own modules, so it begins at
once; nobody else sees what it changed.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from types import CodeType

import pytest

_SECONDS = 60
_OURS = ("webseam", "tests", "properties")
_OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--assert=plain", "--tb=no", "-W", "ignore")


class Chosen:
    """A pytest plugin: only these tests, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._places = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self._places]
        items[:] = sorted(chosen, key=lambda item: self._places[item.nodeid])


def get_ready() -> None:
    """Import what tests need, and forget our own modules again: each child has its own."""
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    for name in ("hypothesis.strategies", "httpx", "webseam.testing"):
        import_module(name)
    for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
        del sys.modules[name]


def passes(tests: Sequence[str], module: str, source: str) -> bool:
    """Tell whether all these tests pass with the module's text replaced."""
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))

    def run() -> int:
        _replace(module, source)
        return pytest.main([*files, *_OPTIONS], plugins=[Chosen(tests)])

    return in_child(run) == 0


def in_child(run: Callable[[], int], seconds: int = _SECONDS) -> int:
    """Run something in a fork of this process; return its exit code, or minus a signal."""
    child = os.fork()
    if child == 0:
        _be_quiet()
        # A change that never ends is noticed, too. Processor time: the machine may be busy.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(10 * seconds)
        code = 70
        with contextlib.suppress(BaseException):
            code = run()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _be_quiet() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)


def _replace(module: str, source: str) -> None:
    """Import the module from this text in place of its file, before pytest can import it."""
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if fullname == module:
            return compile(source, self.get_filename(fullname), "exec", dont_inherit=True)
        return original(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]  # that is the point
    import_module(module)
