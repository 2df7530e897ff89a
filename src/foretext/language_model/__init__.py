"""A pretrained network and its tokenizer in use: nothing here trains, and nothing imports training.

model.py         the verbs
framing.py       a text's ids as the model met texts in pretraining, long ones in windows
networks.py      the network in the number format that suits what it is asked
encoding.py      texts as vectors
filling.py       hidden words
continuation.py  text written on from a prompt
likelihood.py    how likely a text is
insight.py       states by layer, and what attends to what
"""

from foretext.language_model.continuation import Continuation
from foretext.language_model.encoding import Pooling
from foretext.language_model.filling import Filling
from foretext.language_model.insight import AttentionMaps, LayerStates
from foretext.language_model.likelihood import Likelihood
from foretext.language_model.model import LanguageModel

__all__ = [
    "AttentionMaps",
    "Continuation",
    "Filling",
    "LanguageModel",
    "LayerStates",
    "Likelihood",
    "Pooling",
]
