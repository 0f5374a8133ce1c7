"""What a browser would put in the place of an element: shadow roots, frames with a text."""

from .read import PARAGRAPH, article, page


def shadow(inside: str, mode: str = "open") -> str:
    return f"<template shadowrootmode={mode}><style>p{{display:none}}</style>{inside}</template>"


def test_shadow_root_is_read_with_its_slots() -> None:
    root = shadow(f"<article><h1>Mole</h1><slot name=lead></slot><p>{PARAGRAPH}</p><slot></slot>")
    own = "<p slot=lead>First of all, a lead.</p><p>Later, it fell into the sea at last.</p><p slot=no>Unseen."

    content = page(f"<body><town-page>{root}{own}</town-page></body>").content

    assert content == (
        f"# Mole\n\nFirst of all, a lead.\n\n{PARAGRAPH}\n\nLater, it fell into the sea at last."
    )


def test_a_shadow_root_inside_another_is_shown_too() -> None:
    inner = f"<town-text>{shadow(f'<p>Deep down, {PARAGRAPH}</p>', 'closed')}</town-text>"

    content = page(f"<town-page>{shadow(f'<h1>Mole</h1><p>{PARAGRAPH}</p>{inner}')}</town-page>")

    assert f"Deep down, {PARAGRAPH}" in content.content


def test_a_shadow_root_that_draws_a_button_is_left() -> None:
    button = (
        f"<copy-button>{shadow('<button>Copy it</button><slot></slot>')}<b>ox</b></copy-button>"
    )

    content = page(article(f"<p>Say {button} and go, says the manual of it.</p>")).content

    assert "Say **ox** and go" in content


def test_the_text_of_a_frame_is_shown() -> None:
    frame = (
        "<iframe srcdoc='&lt;style&gt;p{display:none}&lt;/style&gt;&lt;p&gt;In a frame, it held.'>"
    )

    assert "In a frame, it held." in page(article(f"{frame}</iframe>")).content
