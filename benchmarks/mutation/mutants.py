"""The changes: cosmic-ray finds the places and makes them; here they are values."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType

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


def changed_source(mutant: Mutant) -> str | None:
    """Return the file's text with the change made; None when it changes nothing that is run.

    That is so for the annotations of local names, and for what cosmic-ray takes for an operator.
    """
    operator = cosmic_ray.plugins.get_operator(mutant.operator)()
    source = (paths.ROOT / mutant.file).read_text()
    try:
        changed: str | None = mutate_code(source, operator, mutant.occurrence)
    except AttributeError:
        return None  # it cannot replace an exception with a dot in its name
    if changed is None or _code(changed) == _code(source):
        return None
    return changed


def _code(source: str) -> object:
    """Return what a text compiles to, without the places where it stands; None if it does not."""
    try:
        return _code_identity(compile(source, "", "exec", dont_inherit=True))
    except SyntaxError:
        return None


def _code_identity(code: CodeType) -> object:
    constants = [
        _code_identity(each) if isinstance(each, CodeType) else each for each in code.co_consts
    ]
    # Which arguments go by name only is for the type checker to watch.
    arguments = code.co_argcount + code.co_kwonlyargcount
    return code.co_code, repr(constants), code.co_names, code.co_varnames, arguments


def describe_mutant(mutant: Mutant) -> str:
    """Say what was changed: the place, the line as it was and as it became."""
    before = (paths.ROOT / mutant.file).read_text().splitlines()
    after = (changed_source(mutant) or "").splitlines()
    was, became = next(
        (pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]), ("", "")
    )
    return f"{mutant.file}:{mutant.first_line}: {was.strip()}  ->  {became.strip()}"
