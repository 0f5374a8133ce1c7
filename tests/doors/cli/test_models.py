"""``webseam model ask`` and ``webseam models``, as people use them."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.cli.run import webseam_process
from tests.features.models.chat import answer, chunk
from tests.features.models.serving import Serving, serving
from webseam.composition.doors.cli import main

ANSWER = answer({"content": "Four.\x1b[2J"}, usage={"prompt_tokens": 3, "completion_tokens": 1})
EVENTS = (chunk({"content": "Fo"}), chunk({"content": "ur."}, "stop"), "[DONE]")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    with serving(ANSWER, *EVENTS) as served:
        file = tmp_path / "config.yaml"
        file.write_text(
            f"providers:\n  mine:\n    base_url: {served.url}\n    env: MINE_KEY\n    model: small-1\n"
        )
        for name, value in (
            ("WEBSEAM_CONFIG", str(file)),
            ("MINE_KEY", "CANARY-0123456789"),
            ("OPENAI_API_KEY", ""),
        ):
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        yield served


def test_a_question_is_answered_in_a_process_of_its_own() -> None:
    with serving(ANSWER) as served:
        ran = webseam_process(
            "model",
            "ask",
            "2+2?",
            "--provider",
            "custom",
            "--model",
            "m",
            CUSTOM_BASE_URL=served.url,
        )

    assert (ran.code, ran.out, ran.err) == (
        0,
        "Four.[2J\n",
        "webseam: It used 3 tokens in and 1 out.\n",
    )
    assert served.asked == [{"model": "m", "messages": [{"role": "user", "content": "2+2?"}]}]


def test_a_provider_of_a_few_lines_answers_with_its_own_model(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        ["model", "ask", "2+2?", "--system", "Be brief.", "--max-tokens", "9", "--temperature", "0.5", "--effort", "low"]
    )  # fmt: skip

    assert (code, capsys.readouterr().out) == (0, "Four.[2J\n")
    assert server.asked == [
        {
            "model": "small-1",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "2+2?"},
            ],
            "temperature": 0.5,
            "max_tokens": 9,
            "reasoning_effort": "low",
        }
    ]


def test_an_answer_is_printed_as_it_is_written(
    server: Serving, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("2+2?"))

    code = main(["model", "ask", "-", "--provider", "mine", "--stream"])

    assert (code, capsys.readouterr().out) == (0, "Four.\n")
    assert server.asked[0]["messages"] == [{"role": "user", "content": "2+2?"}]


def test_a_streamed_refusal_is_printed_too(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    server.events = [chunk({"refusal": "I will "}), chunk({"refusal": "not."}, "stop"), "[DONE]"]

    code = main(["model", "ask", "2+2?", "--stream"])

    printed = capsys.readouterr()
    assert (code, printed.out) == (0, "I will not.\n")
    assert "refused" in printed.err


def test_a_stream_that_fails_before_its_first_piece_prints_nothing(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status = 401

    code = main(["model", "ask", "2+2?", "--stream"])

    assert (code, capsys.readouterr().out) == (3, "")


def test_json_has_the_whole_answer_and_what_follows_the_schema(
    server: Serving, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server.answer = answer({"content": '```json\n{"sum": 4}\n```'})
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object"}')

    code = main(["model", "ask", "2+2?", "--json", "--schema", str(schema)])

    output = json.loads(capsys.readouterr().out)
    assert (code, output["success"]) == (0, True)
    assert output["data"]["parsed"] == {"sum": 4}
    assert output["data"]["finish_reason"] == "stop"
    assert server.asked[0]["response_format"]["json_schema"]["schema"]["type"] == "object"


COUNTS = {
    "prompt_tokens": 1200,
    "completion_tokens": 40,
    "prompt_tokens_details": {"cached_tokens": 1000},
    "completion_tokens_details": {"reasoning_tokens": 30},
    "cost": 0.0021,
}


def test_usage_of_an_answer_is_printed_beside_it(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = answer({"content": "Four."}, usage=COUNTS)

    main(["model", "ask", "2+2?"])

    shown = capsys.readouterr()
    assert shown.out == "Four.\n"
    assert shown.err == (
        "webseam: It used 1,200 tokens in (1,000 from the cache) and 40 out (30 of them thoughts),"
        " for $0.0021.\n"
    )


def test_unsent_options_are_printed_beside_the_answer(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    main(
        [
            "model",
            "ask",
            "2+2?",
            "--model",
            "kimi-k2.5",
            "--temperature",
            "0.5",
            "--max-tokens",
            "9",
        ]
    )

    assert set(server.asked[0]) == {"model", "messages", "max_tokens"}
    assert capsys.readouterr().err.startswith(
        "webseam: Not sent, as the model does not take it: temperature.\n"
    )


def test_json_has_what_the_answer_used_and_what_the_cache_did(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = answer({"content": "Four."}, usage=COUNTS)

    main(["model", "ask", "2+2?", "--json"])

    data = json.loads(capsys.readouterr().out)["data"]
    assert data["usage"]["cached_tokens"] == 1000
    assert data["cache"] == {"read_tokens": 1000, "written_tokens": 0}


def test_an_answer_that_was_cut_off_says_so(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = answer({"content": "Fo"}, "length")

    code = main(["model", "ask", "2+2?"])

    printed = capsys.readouterr()
    assert (code, printed.out) == (0, "Fo\n")
    assert "--max-tokens" in printed.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--provider", "opnai"], 2, "Did you mean openai?"),
        (["--provider", "openai"], 3, "OpenAI has no key. Set OPENAI_API_KEY."),
        (["--provider", "vllm"], 3, "Name one with --model"),
        (["--max-tokens", "0"], 2, "max_tokens: must be a whole number of at least 1"),
        (["--schema", "nowhere.json"], 2, "cannot be read"),
        (["--schema", "config.yaml"], 2, "'config.yaml', line 1, column 1: is not JSON"),
    ],
)
@pytest.mark.usefixtures("server")
def test_refused_model_question_says_what_to_do(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "ask", "2+2?", *arguments]) == code
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "words"),
    [(b" \n", "question: is blank."), (b"\xff", "question: is not text in UTF-8.")],
)
@pytest.mark.usefixtures("server")
def test_a_question_must_be_text(
    given: bytes, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))

    assert main(["model", "ask", "-"]) == 2
    assert words in capsys.readouterr().err


def test_a_provider_that_refuses_is_quoted_without_the_key(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status = 401
    server.answer = {"error": {"message": "bad key CANARY-0123456789"}}

    assert main(["model", "ask", "2+2?"]) == 3
    assert (
        capsys.readouterr().err
        == "webseam: mine refused the key (401): “bad key ***”. Fix it: webseam setup mine\n"
    )


def test_a_model_that_is_not_there_is_bad_input(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status = 404
    server.answer = {"error": {"message": "no such model", "code": "model_not_found"}}

    assert main(["model", "ask", "2+2?", "--model", "big"]) == 2
    assert (
        capsys.readouterr().err
        == "webseam: mine has no model 'big': “no such model”. See: webseam models mine --live\n"
    )


@pytest.mark.usefixtures("server")
def test_without_a_name_several_providers_are_too_many(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")

    assert main(["model", "ask", "2+2?"]) == 3
    assert "Several providers are set up: mistral, mine" in capsys.readouterr().err


@pytest.mark.usefixtures("server")
def test_the_providers_are_listed_with_what_they_need(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()

    assert any(line.startswith("\u203a mine ") and "✓ set up" in line for line in lines)
    assert any(line.startswith("  openai ") and "set OPENAI_API_KEY" in line for line in lines)


@pytest.mark.usefixtures("server")
def test_the_list_is_there_for_programs_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json", "--configured"]) == 0

    listed = json.loads(capsys.readouterr().out)["data"]["providers"]
    mine = next(row for row in listed if row["name"] == "mine")
    assert (mine["configured"], mine["missing"], mine["model"]) == (True, [], "small-1")
    assert all(row["configured"] for row in listed)
    assert "CANARY" not in json.dumps(listed)


@pytest.mark.parametrize("command", [["models"], ["model", "ask", "x"]])
def test_settings_that_are_wrong_are_told(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "config.yaml"
    monkeypatch.setenv("WEBSEAM_CONFIG", str(file))

    file.write_text("providers: 3")
    assert main(command) == 3
    file.write_text("providers:\n  mine:\n    base_url: nowhere\n")
    assert main(command) == (0 if command == ["models"] else 3)

    assert "providers.mine.base_url" in capsys.readouterr().err
