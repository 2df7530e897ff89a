"""The one loop that trains every network, and what it needs."""
