"""``webseam model ask``: ask a model something, to see that it answers."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from typing import TextIO

import msgspec
from returns.result import Failure, Result

from ...kernel.structured import json_in_text
from ...kernel.text.display import visible
from ...ports.errors import ConnectionLost, WebError
from ...ports.models import ChatRequest, Delta, NormalizedResponse
from ..closing import OpenModel, closing
from ..models import chat_model
from ..settings import Settings, load_settings
from .exits import DONE
from .model_options import add_question, provider_of, read_question
from .output import fail, say_json
from .streams import aside
from .tool_calls import running_plugins

_ENDS = {
    "length": "The answer was cut off at its limit; --max-tokens sets another.",
    "content_filter": "The provider's filter, or the model itself, refused.",
}


def run(arguments: Sequence[str]) -> int:
    """Ask, print, and return the exit code."""
    options = _parser().parse_args(arguments)
    settings = load_settings()
    if isinstance(settings, Failure):
        return fail(settings.failure(), as_json=options.json)
    answer = _answer(options, settings.unwrap())
    if isinstance(answer, Failure):
        return fail(answer.failure(), as_json=options.json)
    _show(answer.unwrap(), options)
    return DONE


def _answer(
    options: argparse.Namespace, settings: Settings
) -> Result[NormalizedResponse, WebError]:
    provider = provider_of(options, settings)
    if isinstance(provider, Failure):
        return Failure(provider.failure())
    request = read_question(options, provider.unwrap())
    if isinstance(request, Failure):
        return Failure(request.failure())
    around = running_plugins(settings)
    if isinstance(around, Failure):
        return Failure(around.failure())
    made = chat_model(provider.unwrap().name, settings=settings, around=around.unwrap())
    if isinstance(made, Failure):
        return Failure(made.failure())
    model = made.unwrap()
    aloud = options.stream and not options.json
    asked, out = request.unwrap(), sys.stdout
    asking = _read_aloud(model, asked, out) if aloud else model.complete(asked)
    with aside():
        return asyncio.run(closing(model, asking))


async def _read_aloud(
    model: OpenModel, request: ChatRequest, out: TextIO
) -> Result[NormalizedResponse, WebError]:
    """Print the text to ``out`` as it comes, and return the result."""
    ended: Result[NormalizedResponse, WebError] = Failure(ConnectionLost())
    said = ""
    async for item in model.stream(request):
        if isinstance(item, Delta):
            said += item.text
            print(visible(item.text), end="", file=out, flush=True)
        else:
            ended = item
    # A refusal is known to be the answer only at its end.
    whole = "" if isinstance(ended, Failure) else ended.unwrap().content or ""
    print("" if said else visible(whole), file=out)
    return ended


def _show(answer: NormalizedResponse, options: argparse.Namespace) -> None:
    if options.json:
        data = msgspec.to_builtins(answer)
        # All of it is in the other fields.
        del data["raw"]
        if options.schema:
            data["parsed"] = json_in_text(answer.content or "")
        say_json({"success": True, "data": data})
        return
    if not options.stream:
        print(visible(answer.content or ""))
    if answer.finish_reason in _ENDS:
        print(f"webseam: {_ENDS[answer.finish_reason]}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webseam model", description="Talk to the models of a provider."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = commands.add_parser(
        "ask",
        help="ask a model one thing",
        description="Ask a model one thing. Nothing is kept at the provider.",
        epilog="webseam models lists the providers, and what each of them needs.",
    )
    add_question(ask)
    return parser
