"""The only room that knows the others: doors, features, and the parts below both."""
