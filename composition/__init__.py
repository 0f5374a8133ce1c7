"""The only room that knows the others. Here: results, notices, locations, the loop thread."""
