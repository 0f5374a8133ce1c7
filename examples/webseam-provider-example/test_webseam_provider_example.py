"""What Acme is sent. Nothing here needs a network or a key."""

from webseam_provider_example import ACME

from webseam.providers import ChatRequest, preview

HELLO = ({"role": "user", "content": "hello"},)


def test_acme_is_told_how_hard_to_think() -> None:
    asked = ChatRequest(model="acme-large", messages=HELLO, reasoning_effort="max")

    assert preview(ACME, asked).body == {
        "model": "acme-large",
        "messages": list(HELLO),
        "max_tokens": 8192,
        "thinking": "high",
    }


def test_the_fast_model_is_told_neither_effort_nor_temperature() -> None:
    asked = ChatRequest(
        model="acme-fast-1", messages=HELLO, reasoning_effort="low", temperature=0.2, max_tokens=9
    )

    assert preview(ACME, asked).body == {
        "model": "acme-fast-1",
        "messages": list(HELLO),
        "max_tokens": 9,
    }
