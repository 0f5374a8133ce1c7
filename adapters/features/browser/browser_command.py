"""The command line and the environment that a browser is started with. Pure.

Everything goes through the proxy, also loopback, and the browser resolves no name itself; protocols
without proxy support (QUIC, WebRTC) are off. It starts with an empty profile and stores nothing.
The flags are not the protection: the proxy refuses unexpected requests (``ExpectedHosts``), and the
browser's network has no other exit (``launcher``).
"""

import os
import shutil
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from webseam.ports.errors import NotConfigured, UnsupportedCapability

BROWSER_NAMES = (
    "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
    "chrome-headless-shell", "chromium-headless-shell",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)  # fmt: skip
_BROWSER_SETTING = "render.browser"
PROXY_HOST = "127.0.0.1"
PROXY_USER = "webseam"
# Each WebRTC flag works only in some browsers (Chromium 156 has the second); the preference works
# in all that have preferences.
_WEBRTC_POLICY = "disable_non_proxied_udp"
BROWSER_PREFERENCES = {"webrtc": {"ip_handling_policy": _WEBRTC_POLICY}}
PROFILE_FOLDER = "profile"
_DISABLED_FEATURES = (
    "AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,"
    "InterestFeedContentSuggestions,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,"
    "Prerender2,Translate"
)
_FLAGS = (
    "--headless", "--remote-debugging-pipe", "--no-startup-window",
    # Use only the proxy.
    "--proxy-bypass-list=<-loopback>", "--disable-quic",
    f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {PROXY_HOST}",
    f"--force-webrtc-ip-handling-policy={_WEBRTC_POLICY}",
    f"--webrtc-ip-handling-policy={_WEBRTC_POLICY}",
    # Make no requests of the browser's own.
    "--disable-background-networking", "--disable-breakpad", "--disable-component-update",
    "--disable-client-side-phishing-detection", "--disable-crash-reporter", "--disable-sync",
    "--disable-component-extensions-with-background-pages", "--disable-default-apps",
    "--disable-domain-reliability", "--disable-extensions", "--disable-field-trial-config",
    "--disable-search-engine-choice-screen", f"--disable-features={_DISABLED_FEATURES}",
    "--metrics-recording-only", "--no-default-browser-check", "--no-first-run", "--no-pings",
    "--no-service-autorun", "--password-store=basic", "--use-mock-keychain",
    # Switch off features that text does not need.
    "--autoplay-policy=user-gesture-required", "--disable-dev-shm-usage", "--disable-gpu",
    "--disable-notifications", "--disable-renderer-backgrounding", "--mute-audio",
    "--js-flags=--max-old-space-size=512", "--renderer-process-limit=4", "--window-size=1280,2000",
)  # fmt: skip
# The variables that a program needs to start; keys and proxies are not passed on.
_INHERITED_VARIABLES = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TZ")
_FOLDER_VARIABLES = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


def find_browser(
    program_name: str | None, environment: Mapping[str, str], system: str = os.name
) -> Result[str, NotConfigured | UnsupportedCapability]:
    """Return the configured browser, or the first installed one of the usual names.

    A configured browser that is missing is an error and is never replaced.
    """
    if system != "posix":
        return Failure(UnsupportedCapability(capability="render pages on this system"))
    path = environment.get("PATH", os.defpath)
    for name in BROWSER_NAMES if program_name is None else (program_name,):
        program = shutil.which(name, path=path)
        if program is not None:
            return Success(program)
    return Failure(_missing_program_error(program_name))


def _missing_program_error(program_name: str | None) -> NotConfigured:
    reason = f"{program_name!r} is not a program on this machine"
    remedy = f"Set {_BROWSER_SETTING} to Chromium or Chrome."
    if program_name is None:
        reason = "Rendering needs Chromium or Chrome, and neither was found"
        remedy = f"Install one, or set {_BROWSER_SETTING} if it is in an unusual place."
    return NotConfigured(settings=(_BROWSER_SETTING,), reason=reason, remedy=remedy)


def chromium_flags(folder: str, port: int | str, *, sandbox: bool) -> tuple[str, ...]:
    """Return the flags for a browser with its files in ``folder`` and its proxy on ``port``."""
    return (
        *_FLAGS,
        *(() if sandbox else ("--no-sandbox",)),
        f"--user-data-dir={folder}/{PROFILE_FOLDER}",
        f"--proxy-server=http://{PROXY_HOST}:{port}",
    )


def browser_environment(folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without keys, in which every folder is ``folder``."""
    passed_on = {name: environment[name] for name in _INHERITED_VARIABLES if name in environment}
    return passed_on | dict.fromkeys(_FOLDER_VARIABLES, folder)
