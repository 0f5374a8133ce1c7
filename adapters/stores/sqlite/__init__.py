"""SQLite files: opened safely, called off the loop, checked against their blueprint."""
