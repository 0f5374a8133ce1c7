"""Bulk: many pages into a dataset, on one machine or several."""

from ..features import Command, Feature

_MANY = "Many pages"
_COMMANDS = "composition.cli.commands"

FEATURE = Feature(
    name="bulk",
    what="many pages into a dataset, on one machine or several",
    extra="bulk",
    packages=("fastwarc", "protego", "pyarrow", "pycld2", "rensa"),
    needs=("documents",),
    commands={
        "bulk": Command(
            f"{_COMMANDS}.bulk",
            _MANY,
            "read many pages into a dataset, and go on where it was ended",
        ),
        "crawl": Command(f"{_COMMANDS}.crawl", _MANY, "read a site into a dataset, breadth first"),
        "map": Command(f"{_COMMANDS}.map", _MANY, "list the URLs of a site"),
    },
)
