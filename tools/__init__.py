"""What the maintainers run; no part of the package."""
