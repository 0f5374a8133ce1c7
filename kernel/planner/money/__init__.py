"""What calls cost: budgets, list prices, and the price of a model's tokens."""
