"""``webseam policy check``: the verdict, the rule, the stage, the setting."""

import json
from pathlib import Path

import pytest

from tests.surroundings import NOWHERE
from webseam.composition.doors.cli.commands import policy
from webseam.composition.terminal.terminal_look import TerminalLook

from .run import Ran, webseam, webseam_process


def check(url: str, *options: str, **environment: str) -> Ran:
    nothing = {"WEBSEAM_CONFIG": str(NOWHERE / "config.yaml")}
    return webseam("policy", "check", url, *options, **{**nothing, **environment})


def test_a_private_address_is_denied_with_the_setting_that_would_allow_it() -> None:
    ran = check("http://10.0.0.1/")

    assert (ran.code, ran.err) == (5, "")
    assert ran.out == (
        "deny: This URL is not fetched: its address is on a private network. "
        "To allow it, set “policy.allow_private: [10.0.0.1/32:80]”.\n"
        "rule: private\nstage: address\nsetting: policy.allow_private: [10.0.0.1/32:80]\n"
    )


def test_a_verdict_is_wrapped_for_a_person(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        policy, "read_terminal_look", lambda _stream: TerminalLook(person=True, width=50)
    )

    assert policy.run(["check", "http://10.0.0.1/", "--no-dns"]) == 5

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "deny: This URL is not fetched: its address is on a"
    assert lines[1].startswith("      private network.")


def test_the_setting_that_is_named_really_allows_it(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("policy:\n  allow_private: ['10.0.0.1/32:80']\n")

    ran = check("http://10.0.0.1/", "--json", WEBSEAM_CONFIG=str(config))

    assert ran.code == 0
    assert json.loads(ran.out) == {
        "success": True,
        "data": {
            "verdict": "allow",
            "url": "http://10.0.0.1/",
            "rule": None,
            "stage": "address",
            "setting": None,
            "message": "This URL may be fetched.",
            "third_parties": True,
        },
    }


@pytest.mark.parametrize(
    ("url", "kind"), [("http://10.0.0.1/", "url_denied"), ("x", "invalid_url")]
)
def test_a_denial_is_json_as_every_failure_is(url: str, kind: str) -> None:
    ran = check(url, "--json")

    document = json.loads(ran.out)
    assert (ran.code, document["success"], document["failure"]["kind"]) == (5, False, kind)
    assert document["error"] == document["data"]["message"]


def test_metadata_has_no_setting_that_would_allow_it() -> None:
    opened = {
        "WEBSEAM_POLICY_ALLOW_PRIVATE": "0.0.0.0/0",
        "WEBSEAM_POLICY_ALLOW_HOSTS": "169.254.169.254",
    }

    ran = check("http://169.254.169.254/latest/", "--json", **opened)

    verdict = json.loads(ran.out)["data"]
    assert (ran.code, verdict["verdict"], verdict["rule"], verdict["setting"]) == (
        5,
        "deny",
        "metadata",
        None,
    )


@pytest.mark.parametrize(("options", "looked_up"), [(("--no-dns",), 0), ((), 1)])
def test_a_public_name_is_allowed(
    options: tuple[str, ...], looked_up: int, loopback_only: list[tuple[str, int]]
) -> None:
    # Without a network the name is not found, which is said and is no denial.
    ran = check("https://nowhere.invalid.example/", *options)

    assert ran.code == 0
    assert ran.out.startswith("allow: This URL may be fetched.")
    assert loopback_only == [("nowhere.invalid.example", 443)] * looked_up
    loopback_only.clear()


def test_a_name_that_leads_home_is_denied_by_its_address() -> None:
    ran = check("http://localhost:8080/", "--json", WEBSEAM_POLICY_ALLOW_HOSTS="")

    assert json.loads(ran.out)["data"]["rule"] == "local_name"
    assert ran.code == 5


def test_behind_a_proxy_no_name_is_looked_up() -> None:
    ran = check("https://nowhere.invalid.example/", WEBSEAM_POLICY_PROXY="http://127.0.0.1:9")

    assert (ran.code, ran.out) == (0, "allow: This URL may be fetched.\nstage: parse\n")


def test_invalid_url_is_denied_by_its_rule() -> None:
    assert "rule: invalid_url" in check("nonsense").out


def test_a_setting_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("policy:\n  deny_domains: ['exa mple']\n")

    ran = check("https://a.example/", WEBSEAM_CONFIG=str(config))

    assert ran.code == 3
    assert ran.err.startswith(
        f"webseam: {config}:2: policy.deny_domains: 'exa mple' is not a domain"
    )


def test_policy_alone_is_bad_input() -> None:
    assert webseam_process("policy").code == 2
