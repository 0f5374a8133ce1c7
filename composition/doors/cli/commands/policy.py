"""Check: tell whether a URL may be fetched, and why not."""

import asyncio
import sys
from collections.abc import Iterator, Sequence

import msgspec
from returns.result import Failure

from webseam.adapters.pages.fetch.connect import find_addresses, system_resolve
from webseam.composition.settings.checks import policy_of
from webseam.composition.settings.loader import load_settings
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.exit_codes import DONE, REFUSED
from webseam.composition.terminal.output import print_json, unwrap_or_exit
from webseam.composition.terminal.styled_lines import Span, hanging_lines
from webseam.composition.terminal.terminal_look import TerminalLook, read_terminal_look
from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.policy.explanation import PolicyVerdict, explain, judge_url_and_addresses
from webseam.kernel.policy.judge import judge_fetch
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.urls.spelling import complete_web_url
from webseam.kernel.urls.url_parsing import Refusal

_DNS_SECONDS = 5.0


def run(arguments: Sequence[str]) -> int:
    """Print the verdict; 0 when the URL may be fetched, 5 when not."""
    options = command_line().parse_args(arguments)
    policy = unwrap_or_exit(load_settings().bind(policy_of), options)
    # Behind a proxy, the proxy resolves names.
    ask_dns = not options.no_dns and policy.proxy is None
    url = complete_web_url(options.url)
    verdict, refusal = asyncio.run(_check_url(url, policy, ask_dns=ask_dns))
    if options.json:
        # The usual next command for a denied URL is this one, so name none.
        denied = {} if refusal is None else {**failure_envelope(refusal), "next": []}
        print_json({"success": True, **denied, "data": msgspec.to_builtins(verdict)})
    else:
        print("\n".join(_verdict_lines(verdict, read_terminal_look(sys.stdout))))
    return DONE if refusal is None else REFUSED


async def _check_url(
    url: str, policy: Policy, *, ask_dns: bool
) -> tuple[PolicyVerdict, Refusal | None]:
    """Return the verdict, and what the fetch of a denied URL would fail with."""
    judged = judge_fetch(url, policy)
    if isinstance(judged, Failure) or judged.unwrap().literal or not ask_dns:
        return _url_verdict(url, policy, ())
    target = judged.unwrap()
    addresses = await find_addresses(system_resolve, target.host, target.port, _DNS_SECONDS)
    if isinstance(addresses, Failure):
        verdict, refusal = _url_verdict(url, policy, ())
        problem = f"But the lookup of its name failed: {addresses.failure().message}"
        message = f"{verdict.message} {problem}"
        return msgspec.structs.replace(verdict, message=message), refusal
    return _url_verdict(url, policy, addresses.unwrap())


def _url_verdict(
    url: str, policy: Policy, addresses: Sequence[str]
) -> tuple[PolicyVerdict, Refusal | None]:
    judged = judge_url_and_addresses(url, policy, addresses)
    refusal = judged.failure() if isinstance(judged, Failure) else None
    return explain(url, policy, addresses), refusal


def _verdict_lines(verdict: PolicyVerdict, look: TerminalLook) -> Iterator[str]:
    lines = {
        verdict.verdict: verdict.message,
        "rule": verdict.rule,
        "stage": verdict.stage,
        "setting": verdict.setting,
    }
    for name, text in lines.items():
        if text is not None:
            yield from hanging_lines([Span(f"{name}: {text}")], look, hang=len(name) + 2)


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    example = "check http://10.0.0.1/"
    parser = Parser(
        prog="webseam policy", example=example, with_json=False, description="Ask the policy."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check",
        example="http://10.0.0.1/",
        help="would this URL be fetched?",
        description="Judge a URL without fetching it.",
    )
    check.add_argument("url", help="the URL to judge")
    check.add_argument("--no-dns", action="store_true", help="do not look up the host's addresses")
    return parser
