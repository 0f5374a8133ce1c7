"""Who is well, how fast, how often: breakers, latencies, paces, and what each failure means."""
