"""Track the health of targets: breakers, latencies, paces and retries."""
