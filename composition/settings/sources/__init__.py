"""Sources of settings: files, the environment and Hermes."""
