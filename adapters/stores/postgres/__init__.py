"""What several machines share in one PostgreSQL: the gateway's keys, money, and health."""
