"""Mail messages, Outlook messages, mailboxes and saved pages."""
