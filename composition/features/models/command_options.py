"""The commands of ``webseam model`` besides ``ask``: embed, rerank, title, summary, describe."""

import argparse
import asyncio
import secrets
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

from returns.result import Failure, Result, Success

from webseam.adapters.pages.detection import sniff_media_type
from webseam.kernel.features.models import small_work
from webseam.kernel.relevance import embed, rerank
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import InvalidQuery, NobodyAnswered, WebError
from webseam.ports.models import ChatRequest, NormalizedResponse, StreamItem

from ...planning.open_backends import OpenModel, close_after
from ...settings.settings_root import SettingsRoot
from ...terminal.argument_parser import Parser, add_explain_option
from ...terminal.command_calls import with_terminal_session
from ...terminal.output import print_data, unwrap_or_exit
from ...terminal.page_reports import print_attempts
from ...terminal.styled_lines import Column, Span, table_lines
from ...terminal.terminal_look import read_terminal_look
from .relevance import open_embedder, open_reranker
from .small_work_models import SmallWorker, open_small_work_model

_SHOWN_NUMBERS = 4


def add_relevance_commands(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add both commands."""
    vectors = commands.add_parser(
        "embed", example="tide tables", help="turn texts into vectors",
        description="Turn texts into vectors with the model that embeddings.provider and "
        "embeddings.model name. Any server that speaks OpenAI's /embeddings will do.",
    )  # fmt: skip
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


_DEFAULT_SUMMARY_CHARS = 1000


def add_small_work_commands(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the three commands."""
    for name, summary in (
        ("title", "write a title for a text"),
        ("summary", "write a summary of a text"),
        ("describe", "put a picture into words"),
    ):
        setting = "vision" if name == "describe" else "small_work"
        parser = commands.add_parser(
            name, example="photo.png" if name == "describe" else "article.md", help=summary,
            description=f"{summary.capitalize()}, with the model that {setting}.provider and "
            f"{setting}.model name, or with the first of {setting}.route that answers.",
        )  # fmt: skip
        parser.add_argument("file", help="a file, or - for standard input")
        if name == "summary":
            parser.add_argument(
                "--max-chars", type=int, default=_DEFAULT_SUMMARY_CHARS,
                help="about so many characters",
            )  # fmt: skip
        add_explain_option(parser)
        parser.set_defaults(run=_run_small_work, work=name)


async def _generate_text(
    worker: SmallWorker, body: bytes, options: argparse.Namespace
) -> Result[str, WebError]:
    if options.work == "describe":
        return await worker.describe(body, sniff_media_type(body) or "")
    text, mark = body.decode(), secrets.token_hex(8)
    if options.work == "title":
        return await small_work.generate_title(text, worker.model, worker.name, mark=mark)
    return await small_work.generate_summary(
        text, worker.model, worker.name, most=options.max_chars, mark=mark
    )


def _run_small_work(options: argparse.Namespace, root: SettingsRoot) -> int:
    is_picture = options.work == "describe"
    max_bytes = small_work.MAX_PICTURE_BYTES if is_picture else 4 * small_work.MAX_INPUT_CHARS
    body = unwrap_or_exit(_read_input(options.file, max_bytes), options)
    opened = open_small_work_model(
        "vision" if is_picture else "small_work", with_terminal_session(root)
    )
    worker = unwrap_or_exit(opened, options)
    model = _AttemptRecorder(worker.model)
    noting = SmallWorker(model=model, name=worker.name)
    text = asyncio.run(close_after(noting, _generate_text(noting, body, options)))
    if options.explain and not options.json and model.attempts:
        print_attempts(model.attempts)
    answer = unwrap_or_exit(text, options)
    return print_data({"text": answer, "attempts": model.attempts}, strip_hidden(answer), options)


class _AttemptRecorder:
    """A model that records the attempts of its last answer."""

    def __init__(self, model: OpenModel) -> None:
        self._model = model
        self.name = model.name
        self.attempts: tuple[BackendAttempt, ...] = ()

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        if not isinstance(answer := await self._model.complete(request), Failure):
            self.attempts = answer.unwrap().attempts
        elif isinstance(error := answer.failure(), NobodyAnswered):
            self.attempts = error.attempts
        return answer

    def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        return self._model.stream(request)

    async def aclose(self) -> None:
        await self._model.aclose()


def _read_input(name: str, max_bytes: int) -> Result[bytes, WebError]:
    try:
        if name == "-":
            body = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with Path(name).open("rb") as file:
                body = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "not a file name").lower()
        return _refuse_input(f"{name!r} cannot be read: {reason}")
    if len(body) > max_bytes:
        return _refuse_input(f"is larger than {max_bytes} bytes")
    try:
        if sniff_media_type(body) is None:
            body.decode()
    except UnicodeDecodeError:
        return _refuse_input("is not text in UTF-8")
    return Success(body)


def _refuse_input(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="file", reason=reason))
