"""Where settings come from: files, the environment, Hermes."""
