"""Your own: store your documents, and search them offline."""

import argparse
import asyncio
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.index.schema import INDEX, INDEX_SETTING
from webseam.adapters.features.index.store import DocumentIndex
from webseam.composition.planning.open_backends import close_after
from webseam.composition.settings.file_locations import FileLocations, path_exists
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.exit_codes import DONE
from webseam.composition.terminal.output import print_error, print_json, print_warnings
from webseam.composition.terminal.progress import Progress
from webseam.composition.terminal.styled_lines import (
    Column,
    Span,
    fact_lines,
    table_lines,
    truncate_middle,
)
from webseam.composition.terminal.terminal_look import TerminalLook, read_terminal_look
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.root import read_root
from webseam.kernel.text.display import one_line
from webseam.ports.errors import WebError

from ...models.settings import EmbeddingSettings
from .. import removal
from ..document_readers import index_location
from ..index_report import IndexReport, embedded_passages_line
from ..index_vectors import EmbeddingCount, embed_index, open_index_embedder
from ..ingest_work import IngestOptions, IngestTally, add_sources, refresh_sources

Work: TypeAlias = Callable[[argparse.Namespace, DocumentIndex], Result[int, WebError]]
IngestWork: TypeAlias = Callable[
    [DocumentIndex, Sequence[str], Root, IngestTally, IngestOptions], Result[None, WebError]
]


def run_index_remove(options: argparse.Namespace) -> int:
    """Remove documents by their own location or by their folder."""
    path = Path(options.index or FileLocations().index_file)
    if not path_exists(path):
        return print_error(INDEX.file_error("missing"), as_json=options.json)
    removed = removal.remove_index_locations(path, [*map(index_location, options.sources)])
    if isinstance(removed, Failure):
        return print_error(removed.failure(), as_json=options.json)
    print_warnings(f"{notice}." for notice in removed.unwrap().notices)
    count, forgotten = removed.unwrap().count, removed.unwrap().forgotten
    if options.json:
        print_json({"success": True, "data": {"removed": count, "forgotten": forgotten}})
    else:
        print(f"{count} removed.{'' if count else removal.index_removal_hint(forgotten)}")
    return DONE


def _run_on_index(options: argparse.Namespace, work: Work, *, must_exist: bool = False) -> int:
    """Run ``work`` on the open index and return the exit code; ``must_exist`` makes none."""
    path = Path(options.index or FileLocations().index_file)
    if must_exist and not path_exists(path):
        return print_error(INDEX.file_error("missing"), as_json=options.json)
    opened = DocumentIndex.open_writer(path)
    if isinstance(opened, Failure):
        return print_error(opened.failure(), as_json=options.json)
    with closing(opened.unwrap()) as index:
        done = work(options, index)
    if isinstance(done, Failure):
        return print_error(done.failure(), as_json=options.json)
    return done.unwrap()


def _add_to_index(options: argparse.Namespace, index: DocumentIndex) -> Result[int, WebError]:
    return _ingest(options, index, add_sources)


def _refresh_index(options: argparse.Namespace, index: DocumentIndex) -> Result[int, WebError]:
    return _ingest(options, index, refresh_sources)


def _ingest(
    options: argparse.Namespace, index: DocumentIndex, work: IngestWork
) -> Result[int, WebError]:
    root = read_root()
    if isinstance(root, Failure):
        return root
    report = IndexReport(options)
    taken = IngestOptions(
        follow_links=options.follow_links, include_secrets=options.include_secrets
    )
    try:
        done = work(index, options.sources, root.unwrap(), report.tally, taken)
    except KeyboardInterrupt:
        command = f"webseam index {options.action} {shlex.join(options.sources)}"
        return Success(report.print_stop(command))
    if isinstance(done, Failure):
        return done
    if options.embed or root.unwrap().settings.of(EmbeddingSettings).index:
        report.vectors = embed_passages(index, root.unwrap())
    return Success(report.print_totals(options))


def _run_embedding(options: argparse.Namespace, index: DocumentIndex) -> Result[int, WebError]:
    root = read_root()
    done = root.bind(lambda root: embed_passages(index, root, anew=options.anew))
    if isinstance(done, Failure):
        return done
    if options.json:
        print_json({"success": True, "data": msgspec.to_builtins(done.unwrap())})
    else:
        print(embedded_passages_line(done.unwrap()))
    return Success(DONE)


def print_index_list(options: argparse.Namespace) -> int:
    """Show every document."""
    opened = DocumentIndex.open_reader(Path(options.index or FileLocations().index_file))
    if isinstance(opened, Failure):
        return print_error(opened.failure(), as_json=options.json)
    with closing(opened.unwrap()) as index:
        listed = index.documents()
    if isinstance(listed, Failure):
        return print_error(listed.failure(), as_json=options.json)
    documents = listed.unwrap()
    if options.json:
        print_json({"success": True, "data": {"documents": msgspec.to_builtins(documents)}})
        return DONE
    look = read_terminal_look(sys.stdout)
    rows = [
        (
            Span(f"{document.passages:,}"),
            Span(_document_path_text(document.location, look)),
            Span(one_line(document.title), "quiet"),
        )
        for document in documents
    ]
    columns = (Column("passages", right=True), Column("document"), Column("title", drop=1))
    empty = ["The index is empty: webseam index add PATH_OR_URL"]
    print("\n".join([*table_lines(columns, rows, look)] if rows else empty))
    return DONE


def _document_path_text(location: str, look: TerminalLook) -> str:
    """Return the path of a document; a narrow terminal gets it without its middle."""
    path = one_line(location, 4096)
    if not look.person:
        return path
    return truncate_middle(path, max(20, look.width - 12), look.symbols.cut)


def print_index_statistics(options: argparse.Namespace) -> int:
    """Print the counts of the index; ``--check`` also looks for damage."""
    opened = DocumentIndex.open_reader(Path(options.index or FileLocations().index_file))
    if isinstance(opened, Failure):
        return print_error(opened.failure(), as_json=options.json)
    with closing(opened.unwrap()) as index:
        checked = index.check() if options.check else Success(None)
        counted = checked.bind(lambda _: index.statistics())
    if isinstance(counted, Failure):
        return print_error(counted.failure(), as_json=options.json)
    fields = msgspec.to_builtins(counted.unwrap())
    if options.json:
        print_json({"success": True, "data": fields})
    else:
        lines = [*fact_lines(fields, read_terminal_look(sys.stdout))]
        print("\n".join([*lines, "No damage was found."] if options.check else lines))
    return DONE


def run(arguments: Sequence[str]) -> int:
    """Run one of the index commands and return the exit code."""
    options = command_line().parse_args(arguments)
    code: int = options.run(options)
    return code


def command_line() -> Parser:
    """Return the parser of ``webseam index``."""
    parser = Parser(
        prog="webseam index",
        example="add docs/ notes.md https://example.com/",
        hints={"search": "type webseam search WORDS --backend index"},
        with_json=False,
        description="Store your own documents and search them without a network.",
        epilog=f"The index is one file; {INDEX_SETTING} says where it is.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    added = _add_command(commands, "add", "add files, folders and pages; skip unchanged ones")
    added.add_argument("sources", nargs="+", metavar="PATH_OR_URL")
    added.add_argument(
        "--verbose", action="store_true", help="name each document when it is stored"
    )
    _add_ingest_flags(added)
    added.set_defaults(run=lambda options: _run_on_index(options, _add_to_index), action="add")
    refreshed = _add_command(
        commands, "refresh", "read all sources again, and drop deleted documents"
    )
    refreshed.add_argument("sources", nargs="*", metavar="PATH_OR_URL", help="only these")
    refreshed.add_argument("--verbose", action="store_true", help="name each document")
    _add_ingest_flags(refreshed)
    refreshed.set_defaults(
        run=lambda options: _run_on_index(options, _refresh_index, must_exist=True),
        action="refresh",
    )
    vectors = _add_command(
        commands, "embed", "embed passages without a vector, to search by meaning"
    )
    vectors.add_argument(
        "--anew", action="store_true", help="first drop all vectors, for another model"
    )
    vectors.set_defaults(
        run=lambda options: _run_on_index(options, _run_embedding, must_exist=True)
    )
    removed = _add_command(commands, "remove", "remove documents from the index; the files stay")
    removed.add_argument("sources", nargs="+", metavar="PATH_OR_URL")
    removed.set_defaults(run=run_index_remove)
    _add_command(commands, "list", "show what is in the index").set_defaults(run=print_index_list)
    counted = _add_command(commands, "stats", "count what is in the index")
    counted.add_argument("--check", action="store_true", help="also look for damage")
    counted.set_defaults(run=print_index_statistics)
    return parser


def _add_ingest_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--embed",
        action="store_true",
        help="also keep a vector of each passage, by the model that embeddings.provider names",
    )
    parser.add_argument(
        "--follow-links", action="store_true", help="also links that lead out of a folder"
    )
    parser.add_argument(
        "--include-secrets",
        action="store_true",
        help="also files that look like keys or passwords, by name or content",
    )


def _add_command(commands: "argparse._SubParsersAction[Parser]", name: str, text: str) -> Parser:
    example = "docs/" if name in ("add", "remove") else ""
    description = f"{text[0].upper()}{text[1:]}."
    parser = commands.add_parser(name, example=example, help=text, description=description)
    parser.add_argument("--index", metavar="FILE", help=f"the index, instead of {INDEX_SETTING}")
    return parser


def embed_passages(
    index: DocumentIndex, root: Root, *, anew: bool = False
) -> Result[EmbeddingCount, WebError]:
    """Embed passages without a vector; ``anew`` first drops all vectors."""
    opened = open_index_embedder(root)
    if isinstance(opened, Failure):
        return opened
    embedder = opened.unwrap()
    ready = index.drop_vectors() if anew else Success(None)
    counted = ready.bind(lambda _: index.statistics())
    if isinstance(counted, Failure):
        return counted
    lacking = counted.unwrap().passages - counted.unwrap().vectors
    with Progress("Embedding", lacking) as progress:

        def step(passages: int) -> None:
            for _ in range(passages):
                progress.count_step("")

        return asyncio.run(close_after(embedder, embed_index(index, embedder, step)))
