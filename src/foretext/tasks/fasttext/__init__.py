"""fastText's classifier (Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification").

A text is the mean of the vectors of its words, their character n-grams and its word n-grams; one
linear layer scores the labels.
"""

from __future__ import annotations
