"""Check: ask a model one thing."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Iterator, Sequence
from typing import TextIO, get_args

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.text_copies import without_text_copies
from webseam.composition.planning.open_backends import OpenModel, close_after
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.composition.terminal.argument_parser import (
    Parser,
    add_model_options,
    route_from_options,
)
from webseam.composition.terminal.command_calls import with_terminal_session
from webseam.composition.terminal.exit_codes import DONE
from webseam.composition.terminal.output import (
    print_error,
    print_json,
    print_warnings,
    unwrap_or_exit,
)
from webseam.composition.terminal.page_reports import print_attempts, print_failed_attempts
from webseam.composition.terminal.schema_files import read_schema_option
from webseam.composition.terminal.streams import redirect_prints, stop_if_unread
from webseam.composition.wiring.root import read_settings_root
from webseam.kernel.planner.routes import ModelStep
from webseam.kernel.text.display import strip_hidden
from webseam.ports.errors import ConnectionLost, InvalidQuery, WebError
from webseam.ports.models import (
    ChatRequest,
    Delta,
    Effort,
    Message,
    NormalizedResponse,
    OutputSchema,
)
from webseam.ports.receipts import CacheStats, Usage

from ..command_options import add_relevance_commands
from ..model_routes import ModelRoute, open_model_route, read_route_steps
from ..provider_choice import choose_model, choose_provider
from ..schema_checks import complete_object

_FINISH_NOTICES = {
    "length": "The answer was cut off at its limit; --max-tokens sets another.",
    "content_filter": "The provider's filter, or the model itself, refused.",
}
_SMALL_WORK_HINT = "in Python, webseam.kernel.features.models.small_work has it"
_PYTHON_OPTIONS = ("--thinking-budget", "--verbosity", "--seed", "--service-tier", "--json-mode")


def add_model_question(parser: argparse.ArgumentParser) -> None:
    """Add the question, the provider and the form of the answer."""
    add = parser.add_argument
    add("question", nargs="+", help="what to ask; words need no quotes, - reads it from stdin")
    add_model_options(parser, "anthropic,openai/gpt-5-mini", provider=True)
    add("--model", help="which model; else the one that is set, else a small one")
    add("--system", help="what the model should know or be beforehand")
    add("--max-tokens", type=int, help="write at most this many tokens")
    add("--temperature", type=float, help="from 0 to 2, where the model takes one")
    add("--effort", choices=get_args(Effort), help="how hard to think")
    add("--schema", metavar="FILE", help="a JSON schema that the answer is checked against")
    add("--deadline", type=float, help="give up after this many seconds")
    add("--stream", action="store_true", help="print the answer as it is written")


def _chat_request(options: argparse.Namespace, model: str) -> Result[ChatRequest, WebError]:
    schema: Result[OutputSchema | None, WebError] = Success(None)
    if options.schema is not None:
        document = read_schema_option(options.schema)
        schema = document.map(lambda content: OutputSchema(schema=content))
    if isinstance(schema, Failure):
        return schema
    if isinstance(question := _read_question_text(" ".join(options.question)), Failure):
        return question
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
        ),
    )


def _read_question_text(argument: str) -> Result[str, WebError]:
    try:
        question = sys.stdin.read() if argument == "-" else argument
    except UnicodeDecodeError:
        return Failure(InvalidQuery(field="question", reason="is not text in UTF-8"))
    if not question.strip():
        return Failure(InvalidQuery(field="question", reason="is blank"))
    return Success(question)


def run(arguments: Sequence[str]) -> int:
    """Ask, print, and return the exit code."""
    options = command_line().parse_args(arguments)
    return int(options.run(options, unwrap_or_exit(read_settings_root(), options)))


def _ask_model(options: argparse.Namespace, root: SettingsRoot) -> int:
    answer = _request_answer(options, root)
    error = answer.failure() if isinstance(answer, Failure) else None
    explained = options.explain and not options.json
    if error is not None:
        if explained:
            print_failed_attempts(error)
        return print_error(error, as_json=options.json)
    _print_answer(answer.unwrap(), options)
    if explained and answer.unwrap().attempts:
        print_attempts(answer.unwrap().attempts)
    return DONE


def _request_answer(
    options: argparse.Namespace, root: SettingsRoot
) -> Result[NormalizedResponse, WebError]:
    if isinstance(planned := _route_request(options, root.settings), Failure):
        return planned
    route, request = planned.unwrap()
    if isinstance(opened := open_model_route(route, with_terminal_session(root)), Failure):
        return opened
    model = opened.unwrap()
    asking: Awaitable[Result[NormalizedResponse, WebError]]
    if request.output_schema is not None:
        # What was printed could not be taken back, so an object is not streamed.
        asking = complete_object(model, request)
    elif options.stream and not options.json:
        asking = _stream_model(model, request, sys.stdout)
    else:
        asking = model.complete(request)
    with redirect_prints():
        return asyncio.run(close_after(model, asking))


def _route_request(
    options: argparse.Namespace, settings: Settings
) -> Result[tuple[ModelRoute, ChatRequest], WebError]:
    step_texts = route_from_options(options) or (() if options.provider else settings.model_route)
    if not step_texts:
        return _single_step_request(options, settings)
    origin = None if options.route else str(settings.entries.origin(("model_route",)))
    if isinstance(steps := read_route_steps(step_texts, "model_route", origin), Failure):
        return Failure(steps.failure())
    route = ModelRoute(task="model", steps=steps.unwrap(), model=options.model)
    return _chat_request(options, route.name).map(lambda request: (route, request))


def _single_step_request(
    options: argparse.Namespace, settings: Settings
) -> Result[tuple[ModelRoute, ChatRequest], WebError]:
    if isinstance(provider := choose_provider(options.provider, settings), Failure):
        return provider
    step = ModelStep(provider.unwrap().name)
    if isinstance(model := choose_model(provider.unwrap(), options.model), Failure):
        return model
    route = ModelRoute(task="model", steps=(step,), model=model.unwrap())
    return _chat_request(options, model.unwrap()).map(lambda request: (route, request))


async def _stream_model(
    model: OpenModel, request: ChatRequest, out: TextIO
) -> Result[NormalizedResponse, WebError]:
    ended: Result[NormalizedResponse, WebError] = Failure(ConnectionLost())
    printed = ""
    async for item in model.stream(request):
        if isinstance(item, Delta):
            printed += item.text
            print(strip_hidden(item.text), end="", file=out, flush=True)
            stop_if_unread(out)
        else:
            ended = item
    # A refusal arrives with the result, not as a piece.
    content = "" if isinstance(ended, Failure) else ended.unwrap().content or ""
    if printed or isinstance(ended, Success):
        print("" if printed else strip_hidden(content), file=out)
    return ended


def _print_answer(answer: NormalizedResponse, options: argparse.Namespace) -> None:
    if options.json:
        data = msgspec.to_builtins(without_text_copies(answer))
        del data["raw"]
        if options.schema:
            data["parsed"] = msgspec.json.decode(answer.content or "null")
        print_json({"success": True, "data": data})
        return
    if options.schema or not options.stream:
        print(strip_hidden(answer.content or ""))
    print_warnings(_answer_notices(answer))


def _answer_notices(answer: NormalizedResponse) -> Iterator[str]:
    if isinstance(left_out := (answer.provider_data or {}).get("_left_out"), list):
        yield f"Not sent, as the model does not take it: {', '.join(map(str, left_out))}."
    if answer.finish_reason in _FINISH_NOTICES:
        yield _FINISH_NOTICES[answer.finish_reason]
    if answer.usage is not None:
        yield token_usage_line(answer.usage, answer.cache)


def token_usage_line(usage: Usage, cache: CacheStats | None) -> str:
    """Return the token use of an answer; omit zero and unknown counts.

    >>> token_usage_line(Usage(input_tokens=1200, output_tokens=40, cost=0.0021), None)
    'It used 1,200 tokens in and 40 out, for $0.0021.'
    """
    cached, written = (cache.read_tokens, cache.written_tokens) if cache else (0, 0)
    target = "written to it" if cached else "to a cache"
    within = _token_notes((cached, "from the cache"), (written, target))
    thoughts = _token_notes((usage.reasoning_tokens, "of them thoughts"))
    cost = "" if usage.cost is None else f", for ${usage.cost:.6f}".rstrip("0")
    tokens = f"{usage.input_tokens:,} tokens in{within} and {usage.output_tokens:,} out{thoughts}"
    return f"It used {tokens}{cost}."


def _token_notes(*figures: tuple[int, str]) -> str:
    shown = [f"{number:,} {label}" for number, label in figures if number]
    return f" ({', '.join(shown)})" if shown else ""


def command_line() -> Parser:
    """Return the parser of ``webseam model``."""
    parser = Parser(
        prog="webseam model",
        example="ask what is a neap tide?",
        with_json=False,
        description="Talk to the models of a provider.",
        hints=dict.fromkeys(("title", "summary", "describe"), _SMALL_WORK_HINT),
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = commands.add_parser(
        "ask",
        example="what is a neap tide?",
        help="ask a model one thing",
        description="Ask a model one thing. Nothing is kept at the provider.",
        epilog="webseam models lists the providers, and what each of them needs.",
        hints=dict.fromkeys(_PYTHON_OPTIONS, "in Python, a ChatRequest takes it"),
    )
    add_model_question(ask)
    ask.set_defaults(run=_ask_model)
    add_relevance_commands(commands)
    return parser
