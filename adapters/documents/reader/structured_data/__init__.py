"""What a page says in data, for machines: linked data, microdata, what its scripts carry."""
