"""The bill of materials of a wheel, in CycloneDX: ``python packaging/release/bom.py WHEEL OUT``.

It lists what the installed wheel needs without extras, in the versions that it was tested with.
"""

import hashlib
import sys
import uuid
from importlib.metadata import Distribution, distribution
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

NAME = "webseam"


def needs(package: Distribution) -> list[str]:
    """Return the names of what a package needs here, without its extras."""
    requirements = map(Requirement, package.requires or ())
    return [
        each.name
        for each in requirements
        if each.marker is None or each.marker.evaluate({"extra": ""})
    ]


def bill_of(wheel: Path) -> Bom:
    """Return the bill of an installed wheel: each package once, and who needs whom."""
    content = hashlib.sha256(wheel.read_bytes()).hexdigest()
    root = _component(distribution(NAME), ComponentType.APPLICATION)
    root.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=content))
    # The same wheel has the same bill.
    bill = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_OID, content))
    bill.metadata.component = root
    components = {NAME: root}
    _add(bill, NAME, components)
    return bill


def _add(bill: Bom, name: str, components: dict[str, Component]) -> None:
    inner: list[Component] = []
    for needed in needs(distribution(name)):
        key = needed.lower().replace("_", "-")
        if key not in components:
            components[key] = _component(distribution(needed), ComponentType.LIBRARY)
            bill.components.add(components[key])
            _add(bill, key, components)
        inner.append(components[key])
    bill.register_dependency(components[name], inner)


def _component(package: Distribution, kind: ComponentType) -> Component:
    name, version = package.metadata["Name"], package.version
    about = package.metadata.json
    licence = str(about.get("license_expression") or about.get("license") or "")
    address = PackageURL(type="pypi", name=name.lower(), version=version)
    return Component(
        type=kind,
        name=name,
        version=version,
        purl=address,
        bom_ref=str(address),
        licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
    )


def main(wheel: str, target: str) -> None:
    """Write the bill of ``wheel`` to ``target``."""
    Path(target).write_text(JsonV1Dot6(bill_of(Path(wheel))).output_as_string(indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
