"""Setting up clients: what goes into whose file, and the file changed with everything else kept."""
