"""Plugins that ship with webseam; each file is also an example of a plugin."""

SHIPPED = {
    "tagging": "Puts tags of yours into receipts and model requests",
    "redaction": "Takes personal data out of queries before anyone sees them",
    "domain-budget": "Reads only so many pages an hour of each host",
    "timing": "Logs how long each call took, and warns of slow ones",
    "audit-log": "Writes a JSON line for each call: who asked what, how it ended",
    "otel": "OpenTelemetry spans and metrics for each call (needs webseam[otel])",
    "recorder": "Records the results of calls once, and replays them offline",
}
