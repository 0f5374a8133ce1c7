"""Documents that are zip files of XML, read from it: nothing is loaded, run or expanded."""
