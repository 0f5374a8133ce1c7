"""Whatever the key, the page and the agent: others accept a signature for these alone."""

import time

from hypothesis import assume, given, strategies as st

from tests.fetch import signatures
from webseam.adapters.pages.fetch.user_headers import PageSigner
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.targets import Target

_LABELS = st.from_regex(r"[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?", fullmatch=True)
_NAMES = st.lists(_LABELS, min_size=1, max_size=3).map(
    lambda labels: ".".join((*labels, "example"))
)
_HOSTS = _NAMES | st.ip_addresses(v=4).map(str) | st.ip_addresses(v=6).map("[{}]".format)
_PORTS = st.sampled_from(["", ":80", ":443"]) | st.integers(1, 65535).map(":{}".format)
_AUTHORITIES = st.builds("{}{}".format, _HOSTS, _PORTS)
_URLS = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https"]), _AUTHORITIES, st.text())


def parse(url: str) -> Target:
    target = parse_target(url).value_or(None)
    assume(target is not None)
    assert target is not None
    return target


@given(
    seed=st.binary(min_size=32, max_size=32),
    agent=_AUTHORITIES,
    url=_URLS,
    other_url=_URLS,
    other_agent=_AUTHORITIES,
)
def test_a_signature_holds_for_one_authority_and_one_agent(
    seed: bytes, agent: str, url: str, other_url: str, other_agent: str
) -> None:
    key = signatures.ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    target, other = parse(url), parse(other_url)
    signer = PageSigner(
        sign=key.sign,
        public_key=key.public_key().public_bytes_raw(),
        agent=parse(f"https://{agent}").authority,
    )
    directory, proof = signer.sign_key_directory(time.time())
    headers = dict(signer.sign_page_request(target, time.time()))
    changed = {**headers, "signature-agent": f'sig1="https://{other_agent}"'}

    def is_accepted(url: str, sent: dict[str, str], body: bytes | None = None) -> bool:
        # A signature covers no path, and the verifier takes none with the signs that browsers leave.
        origin = "/".join(url.split("/")[:3])
        try:
            signatures.verify(f"{origin}/", sent, directory, body)
        except signatures.InvalidSignature:
            return False
        return True

    assert is_accepted(target.url, headers)
    assert is_accepted(other.url, headers) == (other.authority == target.authority)
    assert is_accepted(target.url, changed) == (changed == headers)
    assert is_accepted(f"https://{signer.agent}/", dict(proof), directory)
    is_same_agent = parse(f"https://{other_agent}").authority == signer.agent
    assert is_accepted(f"https://{other_agent}/", dict(proof), directory) == is_same_agent
    again = dict(signer.sign_page_request(target, time.time()))
    assert again["signature"] != headers["signature"]
