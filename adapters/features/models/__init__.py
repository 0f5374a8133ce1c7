"""Models: wires convert requests, providers declare facts, one client calls them; refusals, AWS."""
