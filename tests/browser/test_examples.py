from webseam.adapters.features.browser.events import chromium_net_error
from webseam.adapters.features.browser.request_guard import url_host_port


def test_an_example_of_chromium_net_error() -> None:
    assert (
        chromium_net_error("net::ERR_CERT_DATE_INVALID").message
        == "No secure connection to the backend: “cert date invalid”."
    )


def test_an_example_of_url_host_port() -> None:
    assert (
        url_host_port("wss://A.example"),
        url_host_port("https://u@[::1]:8443/x"),
        url_host_port("data:,x"),
    ) == (("a.example", 443), ("::1", 8443), None)
