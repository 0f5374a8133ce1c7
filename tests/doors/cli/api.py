"""The demo's own API, kept running in a thread while a command calls it."""

from webseam.composition.doors.cli.commands.demo import DemoApi, open_demo_api

Api = DemoApi
running_api = open_demo_api
