"""A pretrained network and its tokenizer in use: nothing here trains, and nothing imports training.

model.py         the verbs
parts.py         what a model is made of, and its folder
abilities.py     the sentence for what a model cannot do
networks.py      the network in the number format that suits each use
embedding.py     texts of any length as vectors
encoding.py      rows of ids as vectors, in batches
filling.py       masked words
span_filling.py  masked words by models that write any number of tokens
continuation.py  text generated after a prompt, a source, or both
new_tokens.py    its tokens, each as soon as it is chosen
writer.py        tokens become text as they come
likelihood.py    how likely a text is
token_scores.py  how likely each of its tokens is
insight.py       states by layer, and what attends to what
"""

from foretext.language_model.continuation import Continuation
from foretext.language_model.encoding import Pooling
from foretext.language_model.filling import Filling
from foretext.language_model.insight import AttentionMaps, LayerStates
from foretext.language_model.likelihood import Likelihood
from foretext.language_model.model import LanguageModel
from foretext.language_model.new_tokens import NewToken
from foretext.language_model.token_scores import TokenScores

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
