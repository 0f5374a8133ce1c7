"""Mail: messages as they are sent, pages that were saved as one, and Outlook's own files."""
