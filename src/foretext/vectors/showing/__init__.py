"""What word vectors learn from, shown: windows, noise words, n-grams, counts of pairs."""
