"""The command line and the environment that a browser is started with. Pure.

Everything goes through the proxy, loopback too, and the browser resolves no name by itself; what
does not use proxies (QUIC, WebRTC) is off. It starts empty, keeps nothing and calls nobody home.
"""

from collections.abc import Mapping

from .proxy import HOST

# The flags are each known to some browsers alone (Chromium 156 knows the second), the preference
# to all that have preferences.
_PROXIED = "disable_non_proxied_udp"
PREFERENCES = {"webrtc": {"ip_handling_policy": _PROXIED}}
PROFILE = "profile"

_FEATURES = (
    "AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,"
    "InterestFeedContentSuggestions,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,"
    "Prerender2,Translate"
)
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    # Only the proxy.
    "--proxy-bypass-list=<-loopback>",
    f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {HOST}",
    "--disable-quic",
    f"--force-webrtc-ip-handling-policy={_PROXIED}",
    f"--webrtc-ip-handling-policy={_PROXIED}",
    # Nothing of its own.
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    f"--disable-features={_FEATURES}",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    # Nothing that a text needs.
    "--autoplay-policy=user-gesture-required",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-renderer-backgrounding",
    "--mute-audio",
    "--js-flags=--max-old-space-size=512",
    "--renderer-process-limit=4",
    "--window-size=1280,2000",
)
# What a program needs of the environment to start at all; keys and proxies stay with us.
_HANDED_ON = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TZ")
_FOLDERS = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


def browser_flags(folder: str, port: int, *, sandbox: bool) -> tuple[str, ...]:
    """Return the flags for a browser that lives in ``folder`` and has one way out, ``port``."""
    return (
        *_FLAGS,
        *(() if sandbox else ("--no-sandbox",)),
        f"--user-data-dir={folder}/{PROFILE}",
        f"--proxy-server=http://{HOST}:{port}",
    )


def browser_environment(folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without anybody's keys, in which every folder is ``folder``."""
    kept = {name: environment[name] for name in _HANDED_ON if name in environment}
    return kept | dict.fromkeys(_FOLDERS, folder)
