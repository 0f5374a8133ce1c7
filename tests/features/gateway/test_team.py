"""What docs/team.md and packaging/compose.yaml promise to whoever runs a gateway for a team."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

from tests.doors.cli.run import webseam
from webseam.composition.features.gateway.settings import ServeSettings
from webseam.composition.settings.checks import known_setting_keys

from .asgi import Site

ROOT = Path(__file__).parents[3]
COMPOSE = yaml.safe_load((ROOT / "packaging/compose.yaml").read_text())
PAGE = (ROOT / "docs/team.md").read_text()
BACKUP = re.search(r"^python -c '([^']+)'", PAGE, re.MULTILINE)
QUESTION = {"query": "tides"}


def test_compose_file_names_settings_volumes_and_services_that_there_are() -> None:
    gateway = COMPOSE["services"]["gateway"]
    variables = {name for key in known_setting_keys().values() for name in key.variables}
    volumes = {
        volume.partition(":")[0]
        for service in COMPOSE["services"].values()
        for volume in service.get("volumes", ())
    }

    assert gateway["environment"].keys() <= variables
    assert volumes == COMPOSE["volumes"].keys()
    assert gateway["depends_on"].keys() < COMPOSE["services"].keys()
    assert (ROOT / "packaging" / gateway["build"]["context"]).resolve() == ROOT
    assert (ROOT / gateway["build"]["dockerfile"]).is_file()


def test_compose_file_publishes_the_gateway_to_this_machine_alone() -> None:
    services = COMPOSE["services"]

    assert services["gateway"]["ports"] == [f"127.0.0.1:{ServeSettings().port}:8787"]
    assert not any("ports" in service for name, service in services.items() if name != "gateway")


def test_compose_file_holds_no_secret_and_waits_for_open_calls() -> None:
    gateway, postgres = (COMPOSE["services"][name] for name in ("gateway", "postgres"))

    assert gateway["environment"]["WEBSEAM_SERVE_TOKEN"].startswith("${WEBSEAM_SERVE_TOKEN:?")
    assert postgres["environment"]["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert int(gateway["stop_grace_period"].removesuffix("s")) > ServeSettings().drain


def test_backup_of_the_keys_is_restored_beside_a_gateway(tmp_path: Path) -> None:
    site = Site(tmp_path, require_key=True)
    data = {"XDG_DATA_HOME": str(site.home / "data")}
    folder = site.home / "data" / "webseam"

    def add_key(name: str) -> str:
        made = webseam("keys", "add", name, "--json", **data)
        return f"Bearer {json.loads(made.out)['data']['key']}"

    def search(key: str) -> int:
        return site.post("/api/search", QUESTION, authorization=key).status

    anna, ben = add_key("anna"), add_key("ben")
    webseam("keys", "revoke", "ben", **data)
    assert BACKUP is not None
    subprocess.run([sys.executable, "-c", BACKUP[1]], cwd=folder, check=True, env=os.environ)
    cara = add_key("cara")
    webseam("keys", "revoke", "anna", **data)
    before = [search(key) for key in (anna, ben, cara)]
    (folder / "backup.sqlite").replace(folder / "keys.sqlite")
    after = [search(key) for key in (anna, ben, cara)]

    assert before == [401, 401, 200]
    assert after == [200, 401, 401]
