"""``webseam backends`` and ``webseam doctor``, also through a process and over a loopback service."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.doors.cli.run import Ran, webseam, webseam_process
from tests.services.imitation import Imitation
from tests.services.pick import ADDRESS_VARIABLE, FOUND, FOUND_ROWS, KEY_VARIABLE, NAME, SERVICE
from webseam.adapters.services.declaration import Service
from webseam.composition.features.models.search_model_rows import installed_search_models
from webseam.composition.wiring.service_backends import bundled_service_names, find_service

KEY = "secret-key-0123456789"


def doctor(
    replies: Sequence[dict[str, object]],
    *arguments: str,
    key: tuple[str, str] = (KEY_VARIABLE, KEY),
) -> Ran:
    """Examine one service over a server that gives these replies."""

    async def play() -> Ran:
        imitation = Imitation(replies)
        async with imitation.running():
            return await asyncio.to_thread(
                webseam,
                *("doctor", "--live", NAME, *arguments),
                **{key[0]: key[1], ADDRESS_VARIABLE: imitation.base_url},
            )

    return asyncio.run(play())


def test_backends_lists_what_is_set_up_and_who_would_answer() -> None:
    ran = webseam_process("backends", **{KEY_VARIABLE: KEY})

    assert (ran.code, ran.err) == (0, "")
    line = next(line for line in ran.out.splitlines() if line.startswith(f"\u203a {NAME} "))
    assert KEY_VARIABLE in line
    assert "✓ set up" in line
    assert "\n\u203a pages " in ran.out
    assert KEY not in ran.out


def test_backends_gives_programs_everything() -> None:
    ran = webseam("backends", "--json", **{KEY_VARIABLE: KEY})

    data = json.loads(ran.out)["data"]
    found = {one["name"]: one for one in data["backends"]}
    assert set(found) == {
        *bundled_service_names(),
        *installed_search_models(),
        "json",
        "index",
        "pages",
    }
    assert found[NAME]["filters"]["topic"] == "refused"
    assert found[NAME]["max_results"] == SERVICE.abilities.max_results
    assert found["index"]["problem"].startswith("Nothing is indexed yet")
    assert data["chosen"] == {"search": NAME, "extract": "pages"}
    assert KEY not in ran.out


def test_backends_all_shows_the_others_too() -> None:
    assert f"  {NAME} " not in webseam("backends").out
    line = next(
        line for line in webseam("backends", "--all").out.splitlines() if f"  {NAME} " in line
    )
    assert "· not set up" in line


def test_the_doctor_says_what_is_lacking_without_asking_anybody() -> None:
    ran = webseam_process("doctor", "-v")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("✓ No search is set up; pages are read on this machine; ")
    assert f"{SERVICE.title} has no API key. Set {KEY_VARIABLE}." in ran.out


def test_the_doctor_asks_for_real_when_told_to() -> None:
    ran = doctor([FOUND])

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"✓ {NAME} works.\n")
    assert f"✓ {NAME}  set up, from {KEY_VARIABLE}, " in ran.out
    assert ", search in " in ran.out


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        ({"status": 401, "body": {"error": f"bad {KEY}"}}, f"Check the key ({KEY_VARIABLE})"),
        ({"status": 402}, "The plan is used up"),
        ({"status": 429, "headers": {"retry-after": "60"}}, "Too many requests"),
        ({"status": 500, "headers": {"retry-after": "60"}}, "Try again later"),
    ],
)
def test_the_doctor_says_what_to_do_about_a_failure(reply: dict[str, object], advice: str) -> None:
    ran = doctor([reply])

    assert ran.code == 1
    assert advice in ran.out
    assert KEY not in ran.out


def test_the_doctor_names_the_line_of_the_key_that_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(f"services:\n  {NAME}:\n    api_key: {KEY}\n")

    ran = doctor([{"status": 401}], key=("WEBSEAM_CONFIG", str(file)))

    assert f"Check the key ({file}:3)" in ran.out


def test_the_doctor_names_an_address_that_cannot_be_reached() -> None:
    ran = webseam(
        *("doctor", "--live", NAME),
        **{KEY_VARIABLE: KEY, ADDRESS_VARIABLE: "http://127.0.0.1:9"},
    )

    assert ran.code == 1
    assert "http://127.0.0.1:9 was not reached" in ran.out


def test_the_doctor_speaks_json() -> None:
    document = json.loads(doctor([FOUND], "--json").out)

    assert document["success"] is True
    (one,) = document["data"]["backends"]
    assert (one["name"], one["state"], one["probe"]["found"]) == (NAME, "set up", 1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("results_path: rows", "✓ mine works."),
        ("results_path: hits", "($.hits). Check json.mine.results_path in the settings."),
        ("results_path: rows, fields: {url: href}", "Check json.mine.fields.url in the settings."),
        (
            "results_path: rows, fields: {url: url, title: headline}",
            "config.yaml:1: json.mine.fields.title: leads nowhere: nothing that came has it.",
        ),
    ],
)
def test_the_doctor_names_the_setting_that_an_answer_does_not_fit(
    tmp_path: Path, settings: str, said: str
) -> None:
    rows = [{"url": f"https://example.org/{n}", "title": "t"} for n in range(3)]
    config = tmp_path / "config.yaml"

    async def play() -> Ran:
        imitation = Imitation([{"body": {"rows": rows}}])
        async with imitation.running():
            url = f"{imitation.base_url}/?q={{query}}"
            config.write_text(f"json: {{mine: {{url_template: '{url}', {settings}}}}}\n")
            return await asyncio.to_thread(
                webseam, "doctor", "--live", "mine", WEBSEAM_CONFIG=str(config)
            )

    ran = asyncio.run(play())

    assert said in ran.out
    assert ran.code == (0 if said.startswith("✓") else 1)


def test_the_doctor_says_how_a_key_looks() -> None:
    name, option = next(
        (name, option)
        for name in bundled_service_names()
        for option in find_service(name).unwrap().options
        if option.name == "api_key" and option.pattern.endswith(r"-\S+")
    )

    begun = webseam("doctor", name, **{option.env[0]: "nonsense"})
    quoted = webseam("doctor", NAME, **{KEY_VARIABLE: f"'{KEY}'"})

    begins = option.pattern.removesuffix(r"\S+")
    assert f"does not look like one of {find_service(name).unwrap().title}" in begun.out
    assert f"they begin with {begins}" in begun.out
    assert "look for blanks and quotes in it" in quoted.out
    assert KEY not in quoted.out


def test_an_unknown_backend_is_bad_input() -> None:
    ran = webseam("doctor", "nobody")

    assert (ran.code, ran.out) == (2, "")
    assert "There is no backend 'nobody'" in ran.err


def test_a_backend_may_be_called_by_its_other_names() -> None:
    alias = next(
        alias for name in bundled_service_names() for alias in find_service(name).unwrap().aliases
    )

    examined = webseam("doctor", alias, alias.replace("_", "-"))
    given = webseam("setup", "--service", alias, "--set", "nonsense=1")

    assert (examined.code, examined.err) == (0, "")
    assert (given.code, "'nonsense' is not an option of" in given.err) == (2, True)


def test_a_search_with_a_refused_key_says_what_to_do() -> None:
    async def play() -> Ran:
        imitation = Imitation([{"status": 401, "body": {}}])
        async with imitation.running():
            return await asyncio.to_thread(
                webseam,
                *("search", "tides", "--backend", NAME, "--no-cache"),
                **{KEY_VARIABLE: KEY, ADDRESS_VARIABLE: imitation.base_url},
            )

    ran = asyncio.run(play())

    assert (ran.code, ran.out) == (3, "")
    assert ran.err == f"webseam: {NAME} refused the key (401). Fix it: webseam setup {NAME}\n"


def test_remedy_for_a_refused_key_is_printed_once_for_many_pages() -> None:
    name = next(
        name for name in bundled_service_names() if _reads_one_by_one(find_service(name).unwrap())
    )
    variable = find_service(name).unwrap().options[0].env[0]

    async def play() -> Ran:
        imitation = Imitation([{"status": 401, "body": {}}] * 2)
        async with imitation.running():
            return await asyncio.to_thread(
                webseam,
                *("extract", "https://a.example/", "https://b.example/"),
                *("--backend", name, "--no-cache"),
                **{variable: KEY, f"WEBSEAM_{name.upper()}_BASE_URL": imitation.base_url},
            )

    ran = asyncio.run(play())

    assert (ran.code, ran.out) == (4, "")
    assert ran.err.count("refused the key (401)") == 2
    assert ran.err.count(f"webseam setup {name} sets another key") == 1


def test_a_search_goes_to_the_service_that_is_named() -> None:
    async def play() -> Ran:
        imitation = Imitation([FOUND])
        async with imitation.running():
            return await asyncio.to_thread(
                webseam,
                *("search", "tides", "--backend", NAME, "--no-cache", "--json"),
                **{KEY_VARIABLE: KEY, ADDRESS_VARIABLE: imitation.base_url},
            )

    document = json.loads(asyncio.run(play()).out)

    assert document["data"]["web"][0]["url"] == FOUND_ROWS[0]["url"]
    assert document["receipt"]["backend"] == NAME


def test_a_filter_that_cannot_be_honoured_is_bad_input_unless_best_effort_will_do() -> None:
    environment = {KEY_VARIABLE: KEY, ADDRESS_VARIABLE: "http://127.0.0.1:9"}

    strict = webseam("search", "q", "--topic", "finance", **environment)
    easy = webseam("search", "q", "--topic", "finance", "--best-effort", **environment)

    assert (strict.code, easy.code) == (2, 4)
    assert f"{NAME} cannot filter by topic" in strict.err


def test_every_service_says_what_it_is_and_where_a_key_comes_from() -> None:
    for name in bundled_service_names():
        service = find_service(name).unwrap()
        assert service.title
        assert service.search or service.extract
        assert service.address.base_url.startswith("https://") or service.address.env
        assert not service.address.base_url.endswith("/")
        for option in service.options:
            assert option.title
            assert option.env or not option.required


def _reads_one_by_one(service: Service) -> bool:
    keyed = [option.name for option in service.options if option.required] == ["api_key"]
    reads = service.extract
    return keyed and reads is not None and reads.at_once == 1 and reads.reads is None


def test_no_backend_counts_as_usable_without_a_key_where_keyless_is_false() -> None:
    table = webseam("backends", WEBSEAM_KEYLESS="false")
    listed = json.loads(webseam("backends", "--json", WEBSEAM_KEYLESS="false").out)

    assert "no key needed" not in table.out
    states = {row["name"]: row["set_up"] for row in listed["data"]["backends"] if row["keyless"]}
    assert "duckduckgo" in states
    assert [name for name, state in states.items() if state == "no key needed"] == []
