"""The policy and the browser that the settings describe."""

from collections.abc import Mapping

from returns.result import Result

from ..adapters.pages.settings import BrowserSettings
from ..kernel.policy import Policy
from ..ports.errors import InvalidSetting
from .settings import load_settings, policy_of


def read_policy(environment: Mapping[str, str]) -> Result[Policy, InvalidSetting]:
    """Return the policy that file and environment describe, or the entry that cannot be read."""
    return load_settings(environment).bind(policy_of)


def read_browser(environment: Mapping[str, str]) -> Result[BrowserSettings, InvalidSetting]:
    """Return which browser file and environment name, or the entry that cannot be read."""
    return load_settings(environment).map(lambda settings: settings.render.program)
