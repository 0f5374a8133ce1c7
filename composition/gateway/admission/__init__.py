"""Who is let in: keys, rates, the fair queue."""
