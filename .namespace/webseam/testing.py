"""Web search and page extraction for agents: the parts that users test their own code with."""
