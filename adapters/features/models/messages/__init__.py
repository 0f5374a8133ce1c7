"""Messages of a conversation, before a wire spells them."""
