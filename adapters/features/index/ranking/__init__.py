"""Ranking: candidate passages, their exact scores, and the snippets to show."""
