"""Transform the text of pages in processes that can be killed, with a bounded output."""
