"""What providers say when they refuse, as typed errors and as hints what to leave out."""
