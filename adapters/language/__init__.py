"""Words as a search sees them: found in text, folded, stemmed. Pure."""
