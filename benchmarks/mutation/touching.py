"""Which tests run which lines: asked of coverage, once, before anything is changed."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import coverage
import msgspec
import pytest

from . import paths
from .trial import in_child


class Touching(msgspec.Struct, frozen=True, kw_only=True):
    """Every test with its seconds, and for each file the tests that ran each line.

    What ran while modules were imported stands under the name of no test.
    """

    seconds: dict[str, float]
    files: dict[str, dict[int, list[str]]]

    def tests_for(self, file: str, first_line: int, last_line: int) -> list[str]:
        """Return the tests that can notice a change to these lines, the quickest first."""
        lines = self.files.get(file, {})
        near = {test for test_list in lines.values() for test in test_list} - {""}
        here = {test for line in range(first_line, last_line + 1) for test in lines.get(line, ())}
        # A change to what is done at import, or in the middle of a statement, may show anywhere.
        if not here or "" in here:
            far = self.seconds.keys() - near
            return [*self._by_speed(near), *self._by_speed(far)]
        return self._by_speed(here)

    def _by_speed(self, tests: "set[str]") -> list[str]:
        return sorted(tests, key=lambda test: (self.seconds.get(test, 0.0), test))


class _Watch:
    """A pytest plugin: tells coverage which test is running, and how long each took."""

    def __init__(self, watching: coverage.Coverage) -> None:
        self.seconds: dict[str, float] = {}
        self._watching = watching

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._watching.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._watching.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def watch(tests: Sequence[str], folders: Sequence[Path]) -> Touching:
    """Run the tests once on the unchanged sources, which they must pass; look at ``folders``."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "touching.json")
        code = in_child(lambda: _watch_into(result, tests, folders), seconds=0)
        if code != 0:
            message = f"the tests do not pass on the unchanged sources (exit code {code})"
            raise SystemExit(message)
        return msgspec.json.decode(result.read_bytes(), type=Touching)


def _watch_into(result: Path, tests: Sequence[str], folders: Sequence[Path]) -> int:
    places = [f"*/{folder.relative_to(paths.ROOT)}/*" for folder in folders]
    watching = coverage.Coverage(data_file=None, config_file=False, include=places)
    plugin = _Watch(watching)
    watching.start()
    options = ["-q", "--doctest-modules", "-p", "no:cacheprovider", "-W", "ignore"]
    code = pytest.main([*tests, *options], plugins=[plugin])
    watching.stop()
    data = watching.get_data()
    files = {
        str(Path(file).resolve().relative_to(paths.ROOT)): data.contexts_by_lineno(file)
        for file in data.measured_files()
    }
    result.write_bytes(msgspec.json.encode(Touching(seconds=plugin.seconds, files=files)))
    return int(code)
