"""A pretrained network and its tokenizer in use: nothing here trains, and nothing imports training.

model.py         the verbs
parts.py         what a model is made of, and its folder
networks.py      the network in the number format that suits each use
embedding.py     texts of any length as vectors
filling.py       masked words; models that write any number of tokens, too
continuation.py  text generated after a prompt, a source, or both, token by token
likelihood.py    how likely a text is, and each of its tokens
insight.py       states by layer, and what attends to what
extension.py     new tokens in a vocabulary
codec.py         an autoencoder in use
"""

from foretext.language_model.continuation import Continuation, NewToken
from foretext.language_model.embedding import Pooling
from foretext.language_model.filling import Filling
from foretext.language_model.insight import AttentionMaps, LayerStates
from foretext.language_model.likelihood import Likelihood, TokenScores
from foretext.language_model.model import LanguageModel

__all__ = [
    "AttentionMaps",
    "Continuation",
    "Filling",
    "LanguageModel",
    "LayerStates",
    "Likelihood",
    "NewToken",
    "Pooling",
    "TokenScores",
]
