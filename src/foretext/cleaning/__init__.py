"""A corpus without its dirt: rules, duplicates, text of test sets."""
