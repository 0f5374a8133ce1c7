"""Papers and patents in XML: JATS (NISO Z39.96, as PubMed Central has it) and the USPTO's."""
