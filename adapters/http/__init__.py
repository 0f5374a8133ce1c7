"""HTTP: our transport, and the runner that turns a service declaration into a backend."""
