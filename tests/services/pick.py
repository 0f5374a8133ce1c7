"""Some real service, for tests that need one and do not care which."""

import functools
from pathlib import Path
from typing import Any

import yaml

from webseam.adapters.services.declaration import Service
from webseam.composition.wiring.service_backends import installed_services

SAMPLES = Path(__file__).parent / "samples"


@functools.cache
def sample_of(name: str) -> dict[str, Any]:
    """Read the sample of a service."""
    text = (SAMPLES / f"{name}.yaml").read_text(encoding="utf-8")
    sample: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return sample


def _is_plain(service: Service) -> bool:
    """Tell whether a service only searches, needs one key and nothing else, and lacks a filter."""
    required = [option for option in service.options if option.required]
    return (
        service.search is not None
        and service.extract is None
        and service.search.format == "json"
        and [option.name for option in required] == ["api_key"]
        and bool(service.address.base_url)
        and service.abilities.filters.get("topic") != "native"
    )


# To find one by its name asks every package that is installed, so all are found at once.
SERVICES = installed_services()
SERVICE = next(service for service in SERVICES.values() if _is_plain(service))
NAME = SERVICE.name
KEY_VARIABLE = SERVICE.options[0].env[0]
ADDRESS_VARIABLE = f"WEBSEAM_{NAME.upper()}_BASE_URL"
# What it answers to its first sample, which is a plain search.
FOUND: dict[str, Any] = sample_of(NAME)["cases"][0]["exchanges"][0]["reply"]
FOUND_ROWS: list[dict[str, Any]] = sample_of(NAME)["cases"][0]["rows"]
