"""What is asked of a backbone's states, and how well they answer."""
