"""Every format beside markitdown: how much text, how much structure, how long."""
