"""What a service sends and its adapter does not read stands in a table: left_out.yaml.

Every value in a service's samples is changed in turn. If nothing that the adapter makes of the reply
changes with it, nobody reads the value, and the table must list its path. A new key in a sample, or
one that an adapter stops reading, is therefore seen here and not dropped in silence.

``python -m tests.services.test_left_out`` writes the table again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
import yaml

from properties.sample_replies import replies_of
from tests.services.pick import SERVICES
from webseam.adapters.services.calls import Reply
from webseam.adapters.services.declaration import Service
from webseam.composition.wiring.service_backends import bundled_service_names

TABLE = Path(__file__).parent / "left_out.yaml"
ASKED = ("https://example.org/a", "https://example.org/b")
Step = str | int


def values_of(node: object, steps: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    """Yield where each text, number and boolean of a payload stands."""
    if isinstance(node, dict):
        # ``repeat`` is a sample's shorthand for many rows, and not what the service sends.
        for key, value in node.items() if "repeat" not in node else ():
            yield from values_of(value, (*steps, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from values_of(value, (*steps, index))
    elif node is not None:
        yield steps


def change_value(node: object, steps: Sequence[Step]) -> object:
    """Return a payload with another value at one place."""
    if isinstance(node, dict) and steps:
        return {**node, steps[0]: change_value(node[steps[0]], steps[1:])}
    if isinstance(node, list) and steps:
        index = int(steps[0])
        return [*node[:index], change_value(node[index], steps[1:]), *node[index + 1 :]]
    if isinstance(node, bool):
        return not node
    return f"{node} sentinel" if isinstance(node, str) else (node or 0) + 7  # type: ignore[operator]


def path_text(steps: Sequence[Step]) -> str:
    names = ("[]" if isinstance(step, int) else f".{step}" for step in steps)
    return "".join(names).removeprefix(".")


def made_of(service: Service, reply: Reply) -> str:
    """Return everything that a service's declaration makes of a reply."""
    made: list[object] = [service.classify(reply)]
    if service.search is not None:
        made += [service.search.empty(reply), service.search.decode(reply)]
        paging = service.search.paging
        made.append(paging.token(reply) if paging is not None and paging.token else None)
    if service.extract is not None:
        made.append(service.extract.decode(reply, ASKED[: service.extract.batch]))
        if service.extract.job is not None:
            made.append(service.extract.job.decode(reply, ASKED))
    return repr(made)


def left_out_of(name: str) -> list[str]:
    service, read, unread = SERVICES[name], set[str](), set[str]()
    for reply in replies_of(name):
        whole = made_of(service, reply)
        for steps in values_of(reply.payload):
            changed = msgspec.structs.replace(reply, payload=change_value(reply.payload, steps))
            is_read = made_of(service, changed) != whole
            (read if is_read else unread).add(path_text(steps))
    return sorted(unread - read)


@pytest.mark.parametrize("name", bundled_service_names())
def test_unread_keys_of_an_adapter_are_in_the_table(name: str) -> None:
    table = yaml.load(TABLE.read_text("utf-8"), yaml.CSafeLoader)

    assert left_out_of(name) == table.get(name, [])


if __name__ == "__main__":
    found = {name: left_out_of(name) for name in bundled_service_names()}
    HEAD = "# What each service sends in its samples and its adapter leaves out on purpose.\n"
    written = yaml.safe_dump({name: paths for name, paths in found.items() if paths}, width=200)
    TABLE.write_text(HEAD + written, "utf-8")
