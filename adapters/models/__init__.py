"""Models: wires convert requests and answers, providers declare facts, one client calls them."""
