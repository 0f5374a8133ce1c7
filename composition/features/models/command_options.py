"""The commands of ``webseam model`` besides ``ask``: embed and rerank."""

import argparse
import asyncio
import sys

from returns.result import Failure, Result, Success

from webseam.kernel.relevance import embed, rerank
from webseam.kernel.text.display import one_line
from webseam.ports.errors import InvalidQuery, WebError

from ...planning.open_backends import close_after
from ...settings.settings_root import SettingsRoot
from ...terminal.argument_parser import Parser
from ...terminal.output import print_data, unwrap_or_exit
from ...terminal.styled_lines import Column, Span, table_lines
from ...terminal.terminal_look import read_terminal_look
from .relevance import open_embedder, open_reranker

_SHOWN_NUMBERS = 4


def add_relevance_commands(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add both commands."""
    vectors = commands.add_parser(
        "embed",
        example="tide tables",
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
        example='"high tide?" "At noon." "It is blue."',
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


def run_embed(options: argparse.Namespace, root: SettingsRoot) -> int:
    """Embed, print, and return the exit code."""
    texts = unwrap_or_exit(_read_texts(options.text), options)
    opened = open_embedder(root, provider=options.provider, model=options.model)
    embedder = unwrap_or_exit(opened, options)
    work = close_after(embedder, embed(texts, embedder, options.role))
    value = unwrap_or_exit(asyncio.run(work), options)
    heads = [[f"{number:.4f}" for number in vector[:_SHOWN_NUMBERS]] for vector in value.vectors]
    lines = [
        f"[{', '.join(head)}, ...] {len(vector)} numbers"
        for head, vector in zip(heads, value.vectors, strict=True)
    ]
    return print_data(value, "\n".join(lines), options)


def run_rerank(options: argparse.Namespace, root: SettingsRoot) -> int:
    """Rerank, print, and return the exit code."""
    texts = unwrap_or_exit(_read_texts(options.text), options)
    opened = open_reranker(root, provider=options.provider, model=options.model)
    reranker = unwrap_or_exit(opened, options)
    work = close_after(reranker, rerank(options.query, texts, reranker))
    ranking = unwrap_or_exit(asyncio.run(work), options)
    rows = [(Span(f"{item.score:.3f}"), Span(one_line(texts[item.index]))) for item in ranking]
    columns = (Column("score", right=True), Column("text"))
    lines = table_lines(columns, rows, read_terminal_look(sys.stdout))
    return print_data({"results": ranking}, "\n".join(lines), options)


def _read_texts(arguments: list[str]) -> Result[list[str], WebError]:
    if arguments != ["-"]:
        return Success(arguments)
    try:
        lines = [line.strip() for line in sys.stdin]
    except UnicodeDecodeError:
        return Failure(InvalidQuery(field="text", reason="is not text in UTF-8"))
    return Success([line for line in lines if line])
