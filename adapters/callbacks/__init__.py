"""How callbacks of plugins are called: plain ones in a thread, async ones where we are."""
