"""The options of ``webseam model ask``, and the request they describe."""

import argparse
import sys
from typing import get_args

from returns.result import Failure, Result, Success

from ...adapters.models.declaration.provider import Provider
from ...ports.errors import InvalidQuery, NotConfigured, WebError
from ...ports.models import ChatRequest, Effort, Message, OutputSchema
from ..model_settings import account_of, known_providers
from ..settings import Settings
from .schema_files import read_schema


def add_question(parser: argparse.ArgumentParser) -> None:
    """Add the question, whom it goes to, and how it is to be answered."""
    parser.add_argument("question", help="what to ask; - reads it from standard input")
    parser.add_argument("--provider", help="who answers; may be left out if only one is set up")
    parser.add_argument("--model", help="which model; else the one that is set, else a small one")
    parser.add_argument("--system", help="what the model should know or be beforehand")
    parser.add_argument("--max-tokens", type=int, help="write at most this many tokens")
    parser.add_argument("--temperature", type=float, help="from 0 to 2, where the model takes one")
    parser.add_argument("--effort", choices=get_args(Effort), help="how hard to think")
    parser.add_argument("--schema", metavar="FILE", help="a JSON schema that the answer follows")
    parser.add_argument("--deadline", type=float, help="give up after this many seconds")
    parser.add_argument("--stream", action="store_true", help="print the answer as it is written")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def provider_of(options: argparse.Namespace, settings: Settings) -> Result[Provider, WebError]:
    """Return the provider that was named, else the only one that is set up."""
    known = known_providers(settings)
    if isinstance(known, Failure):
        return Failure(known.failure())
    if options.provider is not None:
        found = known.unwrap().find(options.provider)
        return Failure(found.failure()) if isinstance(found, Failure) else Success(found.unwrap())
    with_key = [each for each in known.unwrap().providers.values() if each.needs_key]
    ready = [each for each in with_key if isinstance(account_of(each, settings), Success)]
    # One key may open several doors, of which the first is the usual one.
    doors = {each.env: each for each in reversed(ready)}
    if len(doors) == 1:
        return Success(ready[0])
    names = ", ".join(each.name for each in ready)
    reason = f"Several providers are set up: {names}" if ready else "No provider is set up"
    return Failure(NotConfigured(reason=reason, setting="--provider (see webseam models)"))


def read_question(options: argparse.Namespace, provider: Provider) -> Result[ChatRequest, WebError]:
    """Return the request that the options describe, or the one that cannot be used."""
    model = options.model or provider.model or provider.auxiliary_model
    if model is None:
        reason = f"{provider.title or provider.name} has no model of its own choice"
        return Failure(NotConfigured(reason=reason, setting="--model", backend=provider.name))
    schema = _schema(options.schema)
    if isinstance(schema, Failure):
        return Failure(schema.failure())
    question = _question(options.question)
    if isinstance(question, Failure):
        return Failure(question.failure())
    messages: list[Message] = [{"role": "user", "content": question.unwrap()}]
    if options.system:
        messages.insert(0, {"role": "system", "content": options.system})
    return Success(
        ChatRequest(
            model=model,
            messages=tuple(messages),
            max_tokens=options.max_tokens,
            temperature=options.temperature,
            reasoning_effort=options.effort,
            output_schema=schema.unwrap(),
            deadline=options.deadline,
        )
    )


def _question(given: str) -> Result[str, WebError]:
    try:
        question = sys.stdin.read() if given == "-" else given
    except UnicodeDecodeError:
        return Failure(InvalidQuery(field="question", reason="is not text in UTF-8"))
    if not question.strip():
        return Failure(InvalidQuery(field="question", reason="is blank"))
    return Success(question)


def _schema(file: str | None) -> Result[OutputSchema | None, WebError]:
    if file is None:
        return Success(None)
    read = read_schema(file)
    if isinstance(read, Failure):
        return Failure(read.failure())
    return Success(OutputSchema(schema=read.unwrap()))
