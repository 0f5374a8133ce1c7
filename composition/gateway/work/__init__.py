"""What calls set going: tools, jobs, crawls, the open clients."""
