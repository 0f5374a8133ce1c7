"""One call on its way: begun where nothing is to be decided, else run as the fold says."""
