"""Books and manuals in XML: DocBook, DITA, TEI and FictionBook."""
