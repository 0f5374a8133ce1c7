"""Papers and patents in XML: JATS (NISO Z39.96, as in PubMed Central) and the USPTO's."""
