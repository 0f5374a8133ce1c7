"""Models: wires that only convert, providers that declare themselves, one client for all."""
