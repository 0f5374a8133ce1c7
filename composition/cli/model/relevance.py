"""``webseam model embed`` and ``rerank``: texts as vectors, and in the order of a question."""

import argparse
import asyncio
import sys

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.relevance import embed, rerank
from ....kernel.text.display import one_line
from ....ports.errors import InvalidQuery, WebError
from ....ports.models.embeddings import Embeddings
from ....ports.models.rerank import RankedDocument
from ...calls.open_backends import close_after
from ...settings.schema import Settings
from ...wiring.models.relevance import open_embedder, open_reranker
from ..arguments.parser import Parser
from ..exit_codes import DONE
from ..output import print_error, print_json
from ..screen.drawing.column_tables import Column, table_lines
from ..screen.drawing.styled_lines import Span
from ..screen.drawing.terminal_look import read_terminal_look

_SHOWN_NUMBERS = 4


def add_relevance(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add both commands."""
    vectors = commands.add_parser(
        "embed",
        help="turn texts into vectors",
        description="Turn texts into vectors with the model that embeddings.provider and "
        "embeddings.model name. Any server that speaks OpenAI's /embeddings will do.",
    )
    vectors.add_argument("text", nargs="+", help="a text; - reads one from each line of stdin")
    vectors.add_argument(
        "--role", choices=("query", "document"), default="document", help="what the texts are"
    )
    vectors.set_defaults(run=run_embed)
    ranking = commands.add_parser(
        "rerank",
        help="put texts in the order of how well they answer",
        description="Put texts in the order of how well they answer a question, with the model "
        "that rerank.provider and rerank.model name: jina, cohere, local or a server of your own.",
    )
    ranking.add_argument("query", help="the question")
    ranking.add_argument("text", nargs="+", help="a text; - reads one from each line of stdin")
    ranking.set_defaults(run=run_rerank)
    for parser in (vectors, ranking):
        parser.add_argument("--provider", help="instead of the one that is set")
        parser.add_argument("--model", help="instead of the one that is set")
        parser.add_argument("--json", action="store_true", help="print JSON for programs")


def run_embed(options: argparse.Namespace, settings: Settings) -> int:
    """Embed, print, and return the exit code."""
    embeddings = _texts(options.text).bind(lambda texts: _embedded(texts, options, settings))
    if isinstance(embeddings, Failure):
        return print_error(embeddings.failure(), as_json=options.json)
    value = embeddings.unwrap()
    if options.json:
        print_json({"success": True, "data": msgspec.to_builtins(value)})
        return DONE
    for vector in value.vectors:
        head = ", ".join(f"{number:.4f}" for number in vector[:_SHOWN_NUMBERS])
        print(f"[{head}, ...] {len(vector)} numbers")
    return DONE


def _embedded(
    texts: list[str], options: argparse.Namespace, settings: Settings
) -> Result[Embeddings, WebError]:
    opened = open_embedder(settings, provider=options.provider, model=options.model)
    return opened.bind(
        lambda embedder: asyncio.run(close_after(embedder, embed(texts, embedder, options.role)))
    )


def run_rerank(options: argparse.Namespace, settings: Settings) -> int:
    """Rerank, print, and return the exit code."""
    texts = _texts(options.text)
    if isinstance(texts, Failure):
        return print_error(texts.failure(), as_json=options.json)
    ranking = _ranked(texts.unwrap(), options, settings)
    if isinstance(ranking, Failure):
        return print_error(ranking.failure(), as_json=options.json)
    if options.json:
        print_json({"success": True, "data": {"results": msgspec.to_builtins(ranking.unwrap())}})
        return DONE
    rows = [
        (Span(f"{each.score:.3f}"), Span(one_line(texts.unwrap()[each.index])))
        for each in ranking.unwrap()
    ]
    columns = (Column("score", right=True), Column("text"))
    print("\n".join(table_lines(columns, rows, read_terminal_look(sys.stdout))))
    return DONE


def _ranked(
    texts: list[str], options: argparse.Namespace, settings: Settings
) -> Result[tuple[RankedDocument, ...], WebError]:
    opened = open_reranker(settings, provider=options.provider, model=options.model)
    return opened.bind(
        lambda reranker: asyncio.run(close_after(reranker, rerank(options.query, texts, reranker)))
    )


def _texts(words: list[str]) -> Result[list[str], WebError]:
    if words != ["-"]:
        return Success(words)
    try:
        lines = [line.strip() for line in sys.stdin]
    except UnicodeDecodeError:
        return Failure(InvalidQuery(field="text", reason="is not text in UTF-8"))
    return Success([line for line in lines if line])
