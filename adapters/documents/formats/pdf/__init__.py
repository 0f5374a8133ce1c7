"""PDF: what PDFium reads of it, and what its layout says are headings, lists, tables and code."""

from .pdf_document import read_pdf as read_pdf
