"""Many pages: read many pages into a dataset; run it again to resume."""

import argparse
import asyncio
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.counts import count_with_noun
from webseam.composition.terminal.exit_numbers import DONE, UNHEALTHY
from webseam.composition.terminal.output import (
    print_data,
    print_error,
    print_json,
    print_verdict,
    unwrap_or_exit,
)
from webseam.composition.terminal.styled_lines import print_wrapped_lines
from webseam.ports.errors import CheckFailed

from ..bulk_run import plan_run, run_extract
from ..bulk_searches import SearchOptions, run_queries
from ..checks import check_bulk_options, read_policy
from ..command_options import (
    ROW_HINTS,
    add_fetch_options,
    add_row_options,
    add_since_option,
    bulk_options,
    count_option,
    print_end_and_write_report,
    print_run_end,
    watch_run,
)
from ..conversion import usable_processors
from ..dataset_duplicates import write_duplicates
from ..dataset_status import read_run_status
from ..manifest import write_run_report
from ..report_lines import (
    lost_files_line,
    planned_run_data,
    run_plan_lines,
    run_status_lines,
)


def run(arguments: Sequence[str]) -> int:
    """Run the named subcommand and return the exit code."""
    options = command_line().parse_args(arguments)
    action = _ACTIONS[options.deed]
    options.command = shlex.join(("webseam", "bulk", *arguments))
    return action(options)


def _print_status(options: argparse.Namespace) -> int:
    status = unwrap_or_exit(read_run_status(Path(options.folder), check=options.check), options)
    is_damaged = options.check and bool(status.lost)
    if options.json:
        line = lost_files_line(status.lost, "not counted") if is_damaged else ""
        problem = CheckFailed(problem=line) if is_damaged else None
        print_verdict(msgspec.to_builtins(status), problem)
    else:
        print_wrapped_lines(run_status_lines(status))
    return UNHEALTHY if is_damaged else DONE


def _write_report(options: argparse.Namespace) -> int:
    unwrap_or_exit(write_run_report(Path(options.folder), Path(options.file)), options)
    return print_data({"file": options.file}, options.file, options)


def _run_extract_command(options: argparse.Namespace) -> int:
    policy = unwrap_or_exit(read_policy(), options)
    run_options = bulk_options(options, tuple(options.input), options.output)
    if options.dry_run:
        # Print the plan; write nothing to the run's folder, and fetch no page.
        if (refusal := check_bulk_options(run_options)) is not None:
            return print_error(refusal, as_json=options.json)
        with tempfile.TemporaryDirectory(prefix="webseam-plan-") as folder:
            plan_options = msgspec.structs.replace(run_options, folder=folder, former=None)
            planned = unwrap_or_exit(asyncio.run(plan_run(plan_options, policy)), options)
        workers = run_options.workers or usable_processors()
        if options.json:
            print_json({"success": True, "data": planned_run_data(planned, run_options)})
        else:
            print_wrapped_lines(run_plan_lines(planned, run_options, workers))
        return DONE
    with watch_run(options.command) as watch:
        ended = asyncio.run(run_extract(run_options, policy, watch))
    end = unwrap_or_exit(ended, options)
    return print_end_and_write_report(end, run_options.folder, options)


def _run_search_command(options: argparse.Namespace) -> int:
    search_options = SearchOptions(
        queries=tuple(options.query),
        folder=options.output,
        form=options.form,
        column=options.column,
        max_results=options.max_results,
        backend=options.backend,
        at_once=options.at_once,
    )
    with watch_run(options.command) as watch:
        ended = asyncio.run(run_queries(search_options, watch))
    end = unwrap_or_exit(ended, options)
    return print_run_end(end, search_options.folder, options, "answer")


def _mark_duplicates(options: argparse.Namespace) -> int:
    counts = unwrap_or_exit(write_duplicates(Path(options.folder)), options)
    pages = count_with_noun(counts.pages, "page")
    text = f"{pages}: {counts.exact:,} the same as an earlier one, {counts.near:,} near"
    return print_data(counts, text, options)


_ACTIONS = {
    "duplicates": _mark_duplicates, "extract": _run_extract_command,
    "report": _write_report, "search": _run_search_command, "status": _print_status,
}  # fmt: skip


def command_line() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="webseam bulk",
        example="extract urls.txt -o dataset",
        with_json=False,
        description="Read many pages into a dataset: one row for every input, the same twice.",
        epilog="docs/bulk.md describes the rows. Install with: pip install 'webseam[bulk]'",
    )
    actions = parser.add_subparsers(dest="deed", required=True, metavar="COMMAND")
    extract = actions.add_parser(
        "extract",
        example="urls.txt -o dataset",
        help="read pages into a folder of files",
        hints=ROW_HINTS,
    )
    _add_extract_arguments(extract)
    search = actions.add_parser(
        "search",
        example="queries.txt -o answers",
        help="ask many queries, a row for each",
    )
    _add_search_arguments(search)
    duplicates = actions.add_parser(
        "duplicates",
        example="dataset",
        help="mark duplicate and near-duplicate pages",
    )
    duplicates.add_argument("folder", help="the folder of a finished run")
    status = actions.add_parser(
        "status", example="dataset", help="show the progress of the run in a folder"
    )
    status.add_argument("folder", help="the folder of a run")
    status.add_argument("--check", action="store_true", help="verify every byte of its files")
    report = actions.add_parser(
        "report",
        example="dataset report.html",
        help="write an HTML page about the run in a folder",
    )
    report.add_argument("folder", help="the folder of a run")
    report.add_argument("file", help="the page to write")
    return parser


def _add_extract_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Read every input into a folder of Parquet or JSONL files. A run that was ended goes on "
        "with the same command. WARC files and folders give the same bytes twice."
    )
    add = parser.add_argument
    add(
        "input",
        nargs="+",
        metavar="INPUT",
        help="a .warc or .warc.gz file, a folder of pages, a page, a list of URLs (.txt, .csv, "
        ".tsv, .jsonl, - for stdin), a .parquet file, a URL, a sitemap or feed (.xml, .rss, .atom, "
        "or sitemap:URL)",
    )
    add("-o", "--output", required=True, metavar="FOLDER", help="where to write")
    add("--dry-run", action="store_true", help="print the plan, and read no page")
    add("--column", help="the column with the URLs; url")
    add("--content-column", metavar="COLUMN", help="the column of Parquet files that holds pages")
    add("--max-per-host", type=count_option, metavar="N", help="URLs a host, at most")
    add_since_option(parser)
    add(
        "--engine",
        default="local",
        metavar="ENGINE",
        help="where to run: local; ray, with all processors here; ray:HOST:PORT, a cluster",
    )
    add_row_options(parser)
    add_fetch_options(parser)


def _add_search_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Ask every query and write its results as a row. The same command goes on after Ctrl-C."
    )
    add = parser.add_argument
    add(
        "query",
        nargs="+",
        metavar="QUERY",
        help="a query, or a file of them: .txt, a line each; .csv, .tsv or .jsonl with --column; "
        "- for stdin",
    )
    add("-o", "--output", required=True, metavar="FOLDER", help="where to write")
    add(
        "--format", dest="form", choices=("parquet", "jsonl"), default="parquet", help="of the rows"
    )
    add("--column", help="the column with the queries; query")
    add("-n", "--max-results", type=count_option, help="results for each query")
    add("--backend", help="the backend to ask, instead of the configured ones")
    add("--at-once", type=count_option, default=4, help="searches at once; 4")
