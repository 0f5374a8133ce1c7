"""The command line and the environment that a browser is started with. Pure.

Everything goes through the proxy, loopback too, and the browser resolves no name by itself; what
does not use proxies (QUIC, WebRTC) is off. It starts empty and keeps nothing. Flags are courtesy:
what the browser asks for in spite of them is refused by the proxy (``expected``), and its network
leads nowhere else (``launcher``).
"""

import os
import shutil
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured, UnsupportedCapability

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chrome-headless-shell",
    "chromium-headless-shell",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_SETTING = "render.browser"


def find_browser(
    program_name: str | None, environment: Mapping[str, str], system: str = os.name
) -> Result[str, NotConfigured | UnsupportedCapability]:
    """Return the browser that is named, or the first of the usual ones that is there.

    A named one that is not there is an error: nobody's choice is replaced by another.
    """
    if system != "posix":
        return Failure(UnsupportedCapability(capability="render pages on this system"))
    path = environment.get("PATH", os.defpath)
    for name in NAMES if program_name is None else (program_name,):
        program = shutil.which(name, path=path)
        if program is not None:
            return Success(program)
    return Failure(_missing(program_name))


def _missing(named: str | None) -> NotConfigured:
    if named is not None:
        reason = f"{named!r} is not a program on this machine"
        remedy = f"Set {_SETTING} to Chromium or Chrome."
        return NotConfigured(settings=(_SETTING,), reason=reason, remedy=remedy)
    reason = "Rendering needs Chromium or Chrome, and neither was found"
    remedy = f"Install one, or set {_SETTING} if it is in an unusual place."
    return NotConfigured(settings=(_SETTING,), reason=reason, remedy=remedy)


# Where the guarding proxy is, and who may use it.
HOST = "127.0.0.1"
USER = "webseam"


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


def browser_flags(folder: str, port: int | str, *, sandbox: bool) -> tuple[str, ...]:
    """Return the flags for a browser that lives in ``folder`` and has one way out, ``port``."""
    return (
        *_FLAGS,
        *(() if sandbox else ("--no-sandbox",)),
        f"--user-data-dir={folder}/{PROFILE}",
        f"--proxy-server=http://{HOST}:{port}",
    )


def browser_environment(folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without anybody's keys, in which every folder is ``folder``."""
    handed_on = {name: environment[name] for name in _HANDED_ON if name in environment}
    return handed_on | dict.fromkeys(_FOLDERS, folder)
