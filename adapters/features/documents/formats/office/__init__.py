"""DOCX, XLSX and PPTX: zip files of XML; nothing is loaded, run or expanded."""
