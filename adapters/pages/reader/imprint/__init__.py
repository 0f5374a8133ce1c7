"""Who wrote a page and when, as the page itself shows it."""
