"""What several machines share in one Valkey or Redis: answers, who asks, and rates of keys."""
