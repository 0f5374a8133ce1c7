"""Write the list of services in docs/services.md.

``make docs`` calls it: ``python packaging/release/doc_tables.py``.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from webseam.adapters.services.declaration import Service
from webseam.composition.wiring.service_backends import bundled_service_names, installed_services

_PAGE = Path(__file__).parents[2] / "docs" / "services.md"
_USUAL_MAX_RESULTS = 100


def own_services() -> list[Service]:
    """Return the services that come with webseam, best first."""
    installed = installed_services()
    services = [installed[name] for name in bundled_service_names()]
    return sorted(services, key=lambda service: (service.offer.rank, service.name))


def service_list(services: Iterable[Service]) -> str:
    """Return a Markdown list of services: what each can do, its settings, and notes."""
    return "".join(f"{_service_line(service)}\n" for service in services)


def write_between_marks(page: str, mark: str, text: str) -> str:
    r"""Return a page with a text between the two marks of its name.

    >>> write_between_marks("A\n<!-- mine -->\nold\n<!-- /mine -->\n", "mine", "new\n")
    'A\n<!-- mine -->\nnew\n<!-- /mine -->\n'
    """
    pattern = rf"(?<=<!-- {mark} -->\n).*?(?=<!-- /{mark} -->)"
    return re.sub(pattern, lambda _: text, page, flags=re.DOTALL)


def write_page() -> None:
    """Write the list into its page."""
    text = service_list(own_services())
    _PAGE.write_text(write_between_marks(_PAGE.read_text("utf-8"), "services", text), "utf-8")


def _service_line(service: Service) -> str:
    name = f"[{service.name}]({service.site})" if service.site else service.name
    abilities = ", ".join(_service_abilities(service))
    settings = ", ".join(_service_setting_cells(service)) or "nothing to set"
    return " ".join([f"- **{name}** ({abilities}): {settings}.", *_service_notes(service)])


def _service_abilities(service: Service) -> list[str]:
    """Name the abilities; a star stands at those that work without a key."""
    names = (["search"] if service.search else []) + (["extract"] if service.extract else [])
    return [f"{name}\\*" if name in service.offer.keyless else name for name in names]


def _service_notes(service: Service) -> list[str]:
    """Return the sentences about a service, with its most rows where these are not the usual."""
    most = service.abilities.max_results
    is_usual = most in (None, _USUAL_MAX_RESULTS)
    return [*([] if is_usual else [f"Up to {most} rows."]), *filter(None, [service.note])]


def _service_setting_cells(service: Service) -> list[str]:
    """Name the variables of each option and of the address; optional ones in brackets."""
    address = _option_variables(service.address.env, service, "base_url")
    cells = ["" if service.address.base_url else address]
    for option in service.options:
        names = _option_variables(option.env, service, option.name)
        cells.append(names if option.required else f"({names})")
    cells.append(f"({address})" if service.address.env and service.address.base_url else "")
    return [names for names in cells if names]


def _option_variables(env: tuple[str, ...], service: Service, option: str) -> str:
    return " or ".join(f"`{name}`" for name in env or (f"WEBSEAM_{service.name}_{option}".upper(),))


if __name__ == "__main__":
    write_page()
