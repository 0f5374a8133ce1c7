"""``webseam index list`` and ``stats``."""

import argparse
from contextlib import closing

import msgspec
from returns.result import Failure, Success

from ...adapters.index.store import DocumentIndex
from ...kernel.text.display import one_line
from ..choosing import index_path
from .exits import DONE
from .output import fail, say_json


def show_list(options: argparse.Namespace) -> int:
    """Show every document."""
    opened = DocumentIndex.reading(index_path(options.index))
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=options.json)
    with closing(opened.unwrap()) as index:
        found = index.documents()
    if isinstance(found, Failure):
        return fail(found.failure(), as_json=options.json)
    documents = found.unwrap()
    if options.json:
        say_json({"success": True, "data": {"documents": msgspec.to_builtins(documents)}})
        return DONE
    for each in documents:
        print(f"{one_line(each.location, 4096)}\n   {one_line(each.title)} ({each.passages})")
    if not documents:
        print("The index is empty.")
    return DONE


def show_statistics(options: argparse.Namespace) -> int:
    """Count what is there, and look for damage if asked to."""
    opened = DocumentIndex.reading(index_path(options.index))
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=options.json)
    with closing(opened.unwrap()) as index:
        checked = index.check() if options.check else Success(None)
        counted = checked.bind(lambda _: index.statistics())
    if isinstance(counted, Failure):
        return fail(counted.failure(), as_json=options.json)
    fields = msgspec.to_builtins(counted.unwrap())
    if options.json:
        say_json({"success": True, "data": fields})
    else:
        lines = [f"{name}: {count}" for name, count in fields.items()]
        print("\n".join([*lines, "No damage was found."] if options.check else lines))
    return DONE
