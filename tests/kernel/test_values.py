"""The kernel's values: built by name, and never changed."""

import importlib
import pkgutil

import msgspec
import pytest

from webseam import kernel
from webseam.kernel.boundary import Crash
from webseam.kernel.cache_rules import Lifetimes
from webseam.kernel.deps import WebDeps
from webseam.kernel.laws.field_checks import FieldFault
from webseam.kernel.laws.filters import FilterPlan
from webseam.kernel.policy.explanation import PolicyVerdict
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.keys import KeyRecord, KeyTool

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(kernel.__path__, kernel.__name__ + ".")
]
VALUES = {
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type)
    and issubclass(value, msgspec.Struct)
    and value.__module__ == module.__name__
}


def test_a_value_cannot_be_changed() -> None:
    assert VALUES
    assert [value for value in VALUES if not value.__struct_config__.frozen] == []


@pytest.mark.parametrize(
    "value", [Crash, FieldFault, Lifetimes, FilterPlan, Policy, PolicyVerdict, WebDeps]
)
def test_a_value_is_built_by_name(value: type[msgspec.Struct]) -> None:
    with pytest.raises(TypeError, match="positional"):
        value(*value.__struct_fields__)


@pytest.mark.parametrize(("tools", "allowed"), [((), True), (("search",), True), (("ask",), False)])
def test_a_key_without_tools_of_its_own_may_call_all(
    tools: tuple[KeyTool, ...], *, allowed: bool
) -> None:
    key = KeyRecord(id="a", name="ann", cache="ann", made="2026-11-16", tools=tools)

    assert key.may_call("search") is allowed
