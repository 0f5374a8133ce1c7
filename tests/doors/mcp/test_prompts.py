"""Prompts and the completion of their arguments."""

from pathlib import Path

import pytest

from tests.doors.mcp.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def complete(desk: Desk, prompt: str, argument: str, value: str) -> list[str]:
    params = {
        "ref": {"type": "ref/prompt", "name": prompt},
        "argument": {"name": argument, "value": value},
    }
    values: list[str] = desk.result("completion/complete", params)["completion"]["values"]
    return values


def test_every_prompt_and_argument_is_described(desk: Desk) -> None:
    prompts = desk.result("prompts/list")["prompts"]

    assert [prompt["name"] for prompt in prompts] == ["research", "compare", "read"]
    assert all(prompt["description"] and prompt["title"] for prompt in prompts)
    assert all(each["description"] for prompt in prompts for each in prompt["arguments"])


def test_a_prompt_holds_its_arguments_as_they_are(desk: Desk) -> None:
    arguments = {"topic": "{language} and {0}", "sources": "5", "language": "German"}

    result = desk.result("prompts/get", {"name": "research", "arguments": arguments})

    text = result["messages"][0]["content"]["text"]
    assert "{language} and {0}" in text
    assert "Read about 5 sources." in text
    assert "Answer in German." in text


def test_prompt_omits_arguments_that_were_not_given(desk: Desk) -> None:
    result = desk.result("prompts/get", {"name": "compare", "arguments": {"subjects": "a, b"}})

    assert "Answer in" not in result["messages"][0]["content"]["text"]


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("nonsense", {}, "name"),
        ("research", {}, "topic"),
        ("research", {"topic": "  "}, "topic"),
        ("research", {"topic": 5}, "topic"),
        ("research", {"topic": "a", "nonsense": "b"}, "nonsense"),
    ],
)
def test_wrong_prompt_argument_is_named(
    desk: Desk, name: str, arguments: dict[str, object], field: str
) -> None:
    error = desk.error("prompts/get", {"name": name, "arguments": arguments})

    assert error["code"] == -32602
    assert error["data"]["field"] == field


def test_arguments_are_completed(desk: Desk) -> None:
    assert complete(desk, "research", "language", "g") == ["German"]
    assert complete(desk, "compare", "criteria", "price, pri") == ["price, price", "price, privacy"]
    assert complete(desk, "read", "url", "") == ["https://"]
    assert complete(desk, "research", "topic", "a") == []


@pytest.mark.parametrize(
    "params",
    [
        {"ref": {"type": "ref/prompt", "name": "none"}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "read"}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/other"}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "read"}, "argument": {"name": "url", "value": 5}},
        {"ref": [], "argument": {"name": "url", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "read"}, "argument": 5},
    ],
)
def test_invalid_completion_is_refused(desk: Desk, params: dict[str, object]) -> None:
    assert desk.error("completion/complete", params)["code"] == -32602


def test_handles_are_not_given_away(desk: Desk) -> None:
    params = {
        "ref": {"type": "ref/resource", "uri": "webseam://page/{handle}"},
        "argument": {"name": "handle", "value": ""},
    }

    assert desk.result("completion/complete", params)["completion"]["values"] == []
