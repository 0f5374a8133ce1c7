"""What the shipped plugins store and send."""
