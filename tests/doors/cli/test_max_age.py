"""``--max-age``: seconds, or a span with its unit."""

import argparse

import pytest

from webseam.composition.terminal.argument_parser import max_age_option


def test_an_age_is_seconds_or_a_span() -> None:
    ages = {"0": 0, "90": 90, "1.5": 1.5, "30s": 30, "10m": 600, "2h": 7200, "7d": 604_800}
    assert {text: max_age_option(text) for text in ages} == ages
    for text in ("", "-1", "soon", "nan", "inf", "3w", "10 monkeys", "-2h"):
        with pytest.raises(argparse.ArgumentTypeError):
            max_age_option(text)
