"""The container that Office programs before 2007 keep their documents in."""
