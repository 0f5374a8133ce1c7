"""Plugins for a person to read."""

from collections.abc import Sequence
from pathlib import Path

from ...kernel.text.display import one_line
from ..plugins.cards import Card


def list_text(cards: Sequence[Card], folder: Path) -> str:
    """Return a line for each plugin, and where to put one's own."""
    width = max((len(card.name) for card in cards), default=0)
    lines = [f"{card.name:<{width}}  {card.state:<8}  {_summary(card)}".rstrip() for card in cards]
    return "\n".join([*lines, "", f"Plugins of your own go into {folder}"])


def plugin_text(card: Card) -> str:
    """Return all that is known of one plugin."""
    settings = ", ".join(f"{name}={value!r}" for name, value in card.settings.items())
    facts = {
        "state": f"{card.state}, required" if card.required else card.state,
        "problem": card.problem,
        "about": card.description,
        "version": card.version,
        "author": card.author,
        "source": card.source,
        "path": card.path,
        "settings": settings,
        "middleware": ", ".join(card.middleware),
        "hooks": ", ".join(card.hooks),
        "refused": "; ".join(card.refusals),
        "not set": ", ".join(card.missing_env),
    }
    lines = [f"{name}: {one_line(fact)}" for name, fact in facts.items() if fact]
    return "\n".join([card.name, *lines])


def notes(card: Card) -> list[str]:
    """Return what someone who just enabled a plugin should know of it."""
    foreign = ", ".join(refusal.partition(":")[0] for refusal in card.refusals)
    unset = ", ".join(card.missing_env)
    told = {
        f"{card.name} is broken and will be left out: {card.problem}": card.problem,
        f"{card.name} wants {unset} in the environment": unset,
        f"{card.name} also wants what webseam does not have: {foreign}": foreign,
    }
    return [one_line(note) for note, counts in told.items() if counts]


def _summary(card: Card) -> str:
    return one_line(card.problem or card.description, 80)
