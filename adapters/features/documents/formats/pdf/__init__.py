"""PDF: what PDFium reads of it, and what its layout says are headings, lists, tables and code."""
