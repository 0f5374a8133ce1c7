"""Try every change; print each that nothing noticed, and the score."""

import argparse
import os
import random
import sys
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

from . import __doc__ as about, paths
from .mutants import Mutant, changed_source, describe_mutant, mutants_of
from .touching import Touching, watch
from .trial import get_ready, passes

_SEED = 20261115
_FIRST = 40  # tests in the first wave: most changes are noticed by a few
_EVERY = 100


def main() -> int:
    """Return 0 when enough of the changes were noticed."""
    options = _options()
    os.chdir(paths.ROOT)
    get_ready()
    folders, tests = [paths.ROOT / "kernel"], paths.TESTS
    if options.room:
        folders, tests = paths.room_folders(options.room), paths.room_tests(options.room)
    touching = watch(tests, folders)
    mutants = list(mutants_of(_files(options.files or folders)))
    if options.sample is not None:
        mutants = random.Random(_SEED).sample(mutants, min(options.sample, len(mutants)))
    tried = survivors = 0
    for number, (mutant, noticed) in enumerate(_try_mutants(mutants, touching, options.jobs), 1):
        tried += noticed is not None
        if noticed is False:
            survivors += 1
            print(f"survived: {describe_mutant(mutant)}", flush=True)
        if number % _EVERY == 0:
            print(f"{number} of {len(mutants)} tried", file=sys.stderr, flush=True)
    score = 100 * (1 - survivors / max(tried, 1))
    print(f"{tried} mutants, {survivors} survived: {score:.1f} % killed")
    return 0 if score >= options.least else 1


def _try_mutants(
    mutants: Sequence[Mutant], touching: Touching, jobs: int
) -> Iterator[tuple[Mutant, bool | None]]:
    tasks = (
        (mutant, touching.tests_for(mutant.file, mutant.first_line, mutant.last_line))
        for mutant in mutants
    )
    with get_context("fork").Pool(jobs) as pool:
        yield from zip(mutants, pool.imap(_is_noticed, tasks), strict=True)


def _is_noticed(task: tuple[Mutant, Sequence[str]]) -> bool | None:
    """Try one change; None when there is nothing to try."""
    mutant, tests = task
    module, source = paths.module_name(mutant.file), changed_source(mutant)
    if source is None:
        return None
    waves = (tests[:_FIRST], tests[_FIRST:])
    return not all(passes(wave, module, source) for wave in waves if wave)


def _files(given: Sequence[Path]) -> list[Path]:
    files = [path for named in given for path in sorted(_inside(named.resolve()))]
    return [path for path in files if path.name != "__init__.py"]


def _inside(path: Path) -> list[Path]:
    return list(path.rglob("*.py")) if path.is_dir() else [path]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.mutation", description=about)
    parser.add_argument("files", nargs="*", type=Path, help="the whole kernel, or the room")
    parser.add_argument("--room", choices=sorted(paths.ROOMS), help="a room, by its own tests")
    parser.add_argument("--least", type=float, default=90.0, help="per cent that must be noticed")
    parser.add_argument("--sample", type=int, help="only so many, drawn with a fixed seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="trials at once")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
