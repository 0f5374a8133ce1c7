"""The only room that knows the others: it reads settings, chooses parts and joins them."""
