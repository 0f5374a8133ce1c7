"""The changes: cosmic-ray finds the places and makes them; here they are values."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import cosmic_ray.plugins
import msgspec
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from . import paths


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One small change: which operator, its how manieth place in the file, and the lines there."""

    file: str
    operator: str
    occurrence: int
    first_line: int
    last_line: int


def mutants_of(files: Iterable[Path]) -> Iterator[Mutant]:
    """Find every change that can be made to the files."""
    for file in files:
        tree = get_ast(file.read_text())
        for name in cosmic_ray.plugins.operator_names():
            kind = cosmic_ray.plugins.get_operator(name)
            if kind.arguments():
                continue
            operator = kind()
            places = (
                place for node in ast_nodes(tree) for place in operator.mutation_positions(node)
            )
            for occurrence, (start, end) in enumerate(places):
                yield Mutant(
                    file=str(file.relative_to(paths.ROOT)),
                    operator=name,
                    occurrence=occurrence,
                    first_line=start[0],
                    last_line=end[0],
                )


def changed_source(mutant: Mutant) -> str:
    """Return the file's text with the change made."""
    operator = cosmic_ray.plugins.get_operator(mutant.operator)()
    source = (paths.ROOT / mutant.file).read_text()
    changed: str | None = mutate_code(source, operator, mutant.occurrence)
    assert changed is not None
    return changed


def shown(mutant: Mutant) -> str:
    """Say what was changed: the place, the line as it was and as it became."""
    before = (paths.ROOT / mutant.file).read_text().splitlines()
    after = changed_source(mutant).splitlines()
    was, became = next(
        (pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]), ("", "")
    )
    return f"{mutant.file}:{mutant.first_line}: {was.strip()}  ->  {became.strip()}"
