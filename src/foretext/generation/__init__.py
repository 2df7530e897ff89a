"""Texts written token by token: drawn, greedy, or searched for with a beam.

decoder.py      a backbone and its head read rows piece by piece; what an encoder reads, as a batch
sampling.py     how the next token is drawn
samples.py      several continuations of one prompt, watched token by token
decoding.py     the settings of a search, and what it finds
decode.py       many texts at once: batches of similar length
constraints.py  forced and forbidden tokens, a least length, n-grams once
greedy.py       one text a row, by the likeliest or a drawn token
beam_search.py  the likeliest text, by several hypotheses side by side
"""

from foretext.generation.beam_search import BeamSearch
from foretext.generation.decode import decode
from foretext.generation.decoder import Decoder
from foretext.generation.decoding import Decoding, Output
from foretext.generation.samples import Scored, Watch, generate_ids
from foretext.generation.sampling import Sampling, probabilities

__all__ = [
    "BeamSearch",
    "Decoder",
    "Decoding",
    "Output",
    "Sampling",
    "Scored",
    "Watch",
    "decode",
    "generate_ids",
    "probabilities",
]
