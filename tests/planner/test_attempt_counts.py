"""One call makes at most the attempts that the settings say, and its receipt counts them."""

import asyncio
from pathlib import Path
from typing import Any

from returns.result import Result

from tests.clock import SkippingLoop, run
from tests.features.gateway.asgi import Site
from tests.features.gateway.samples import SAMPLES
from tests.features.models.search_models.answers import SONAR
from tests.features.models.x_search.serving import reply
from tests.planner.attempts import KEY, Ask, custom, model_asks, service_asks, with_web
from tests.services.imitation import Imitation
from tests.settings.support import settings
from webseam.composition.features.models.api import chat_model
from webseam.composition.features.models.x_search_setup import open_x_search
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.kernel.planner.retry import MODEL_RETRIES, PAGE_RETRIES
from webseam.ports import NobodyAnswered, WebError
from webseam.ports.attempts import BackendAttempt
from webseam.ports.models import ChatRequest

ATTEMPTS = PAGE_RETRIES.attempts
STATUSES = (500, 502, 503, 429)
FAILED, LIMITED = "upstream_unavailable", "rate_limited"
CHAT = ChatRequest(model="m", messages=({"role": "user", "content": "Hi"},))


def refusal(status: int) -> dict[str, Any]:
    # A pause of no seconds, so that no test waits.
    return {"status": status, "headers": {"retry-after": "0"}, "body": {"error": "busy"}}


def play(replies: list[dict[str, Any]], ask: Ask) -> tuple[Result[Any, WebError], int]:
    """Ask a server that gives these replies; return the result and how many requests came."""

    async def played() -> tuple[Result[Any, WebError], int]:
        async with Imitation(replies).running() as server:
            return await ask(server.base_url), len(server.requests)

    return asyncio.run(played())


def provider(url: str) -> dict[str, object]:
    return {"providers": {"gate": {"base_url": url, "api_key": KEY, "model": "m"}}}


def outcomes(attempts: tuple[BackendAttempt, ...]) -> list[tuple[str, str]]:
    return [(attempt.why, attempt.outcome) for attempt in attempts]


def check_attempts(asks: dict[str, Ask]) -> None:
    for index, (name, ask) in enumerate(asks.items()):
        result, requests = play([refusal(STATUSES[index % 4])] * 20, ask)

        # A service may know by the status that another attempt is no use, or refuse the page.
        retried = result.failure().kind in (FAILED, LIMITED)
        assert requests == ATTEMPTS if retried else requests <= 1, name


def test_every_service_is_asked_no_more_than_the_settings_say(tmp_path: Path) -> None:
    check_attempts(service_asks(tmp_path))


def test_every_search_model_is_asked_no_more_than_the_settings_say(tmp_path: Path) -> None:
    check_attempts(model_asks(tmp_path))


def test_the_receipt_counts_every_attempt(tmp_path: Path) -> None:
    rows = {"results": [{"title": "Tides", "url": "https://a.example/", "snippet": "High."}]}
    answers: dict[str, tuple[dict[str, Any], Ask]] = {
        "json": (
            {"body": rows},
            with_web(tmp_path, lambda url: {"services": {"json": {"search_url": url}}}, "json"),
        ),
        "custom": ({"body": SONAR}, with_web(tmp_path, custom, "custom")),
        "pages": (
            {"text": f"<p>{'High tide at noon. ' * 40}</p>", "type": "text/html"},
            with_web(tmp_path, lambda _url: {}, "pages", "{url}/a"),
        ),
    }
    for name, (answer, ask) in answers.items():
        result, requests = play([refusal(503), refusal(429), answer], ask)

        lines = outcomes(result.unwrap().receipt.attempts)
        assert lines == [("first", FAILED), ("again", LIMITED), ("again", "answered")], name
        assert requests == len(lines)


def test_a_model_alone_counts_its_attempts_and_one_of_several_is_left_for_the_next(
    tmp_path: Path,
) -> None:
    def on_route(steps: str | tuple[str, ...]) -> Ask:
        async def ask(url: str) -> Result[Any, WebError]:
            block = f"{{base_url: '{url}', api_key: {KEY}}}"
            text = f"providers: {{one: {block}, two: {block}}}\n"
            ledger = str(tmp_path / f"{url.rpartition(':')[2]}.sqlite")
            model = chat_model(steps, settings=settings(tmp_path, text, WEBSEAM_LEDGER=ledger))
            try:
                return await model.unwrap().complete(CHAT)
            finally:
                await model.unwrap().aclose()

        return ask

    plain, asked_plain = play([refusal(503), refusal(503), {"body": SONAR}], on_route("one"))
    alone, asked_alone = play([refusal(503), refusal(503), {"body": SONAR}], on_route(("one/m",)))
    several, asked_several = play([refusal(503)] * 20, on_route(("one/m", "two/m")))

    lines = outcomes(alone.unwrap().attempts)
    assert lines == [("first", FAILED), ("again", FAILED), ("again", "answered")]
    assert asked_alone == len(lines) == MODEL_RETRIES.attempts
    assert (outcomes(plain.unwrap().attempts), asked_plain) == (lines, asked_alone)
    error = several.failure()
    assert isinstance(error, NobodyAnswered)
    assert asked_several == len(error.attempts) == 2


def test_a_search_of_x_makes_as_many_attempts_as_its_setting_says(tmp_path: Path) -> None:
    for retries in range(4):

        async def ask(url: str, retries: int = retries) -> Result[Any, WebError]:
            text = f"x_search: {{retries: {retries}}}\nproviders: {{xai: {{base_url: '{url}'}}}}\n"
            ledger = str(tmp_path / f"{url.rpartition(':')[2]}.sqlite")
            chosen = settings(tmp_path, text, XAI_API_KEY=KEY, WEBSEAM_LEDGER=ledger)
            search = open_x_search(SettingsRoot(settings=chosen)).unwrap()
            try:
                return await search({"query": "tides"})
            finally:
                await search.aclose()

        failed, asked = play([refusal(503)] * 20, ask)
        found, _ = play([*[refusal(503)] * retries, {"body": reply()}], ask)

        assert (failed.failure().kind, asked) == (FAILED, retries + 1)
        assert len(found.unwrap().receipt.attempts) == retries + 1


def test_a_route_asks_each_once_and_retries_twice_in_all(tmp_path: Path) -> None:
    def configure(url: str) -> dict[str, object]:
        return {
            **custom(url),
            "services": {"json": {"search_url": url}},
            "route": ["custom", "json"],
        }

    result, requests = play([refusal(503)] * 20, with_web(tmp_path, configure))

    error = result.failure()
    assert isinstance(error, NobodyAnswered)
    made = [attempt.backend for attempt in error.attempts]
    assert made[:2] == ["custom", "json"]
    assert requests == len(made) == 2 + ATTEMPTS - 1


def test_the_model_that_shortens_a_page_is_counted(tmp_path: Path) -> None:
    page = {"text": f"<p>{'High tide at noon. ' * 900}</p>", "type": "text/html"}
    block = {"compressor": {"kind": "model", "provider": "gate", "model": "m"}}
    ask = with_web(tmp_path, lambda url: {**provider(url), **block}, "pages", "{url}/a")

    short, _ = play([page, refusal(503), refusal(429), {"body": SONAR}], ask)
    failed, requests = play([page, *[refusal(503)] * 20], ask)

    lines = outcomes(short.unwrap().receipt.compressor_attempts)
    assert lines == [("first", FAILED), ("again", LIMITED), ("again", "answered")]
    assert isinstance(failed, Result)
    assert requests == 1 + MODEL_RETRIES.attempts


def test_no_dialect_of_the_gateway_multiplies_attempts(tmp_path: Path) -> None:
    async def searched() -> dict[str, int]:
        counts: dict[str, int] = {}
        async with Imitation([refusal(503)] * 200).running() as server:
            text = f"backend: custom\ncustom_base_url: '{server.base_url}'\ncustom_api_key: {KEY}\n"
            (tmp_path / "config.yaml").write_text(text)
            site = Site(tmp_path, "settings")
            for name, samples in SAMPLES.items():
                sample = next((one for one in samples if isinstance(one.asked, dict)), None)
                if sample is not None:
                    before = len(server.requests)
                    body = {"query": "tides"} if isinstance(sample.body, dict) else sample.body
                    await site.asked(sample.method, f"/{name}{sample.path}", body)
                    counts[name] = len(server.requests) - before
        return counts

    counts = run(searched(), SkippingLoop)

    assert ATTEMPTS in counts.values()
    assert set(counts.values()) <= {0, ATTEMPTS}, counts
