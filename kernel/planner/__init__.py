"""Who is asked, and when again. Pure."""
