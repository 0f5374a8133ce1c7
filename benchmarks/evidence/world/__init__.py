"""A web on loopback: a search service, pages and a model, each honest or not, and who gets through."""
