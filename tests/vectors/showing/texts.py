"""Small texts as word vectors read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from foretext.data.token_file import TokenFile, Tokens
from foretext.tokenizers.vocabulary import Vocabulary

ENGLISH = (
    "where is the house where the cat sat on the mat",
    "the dog sat on the log while the cat ran away",
    "a bird sang in the tree over the house of the dog",
    "nobody knew where the small bird had gone that day",
)
CHINESE = ("猫 坐 在 垫子 上 看 着 窗外", "狗 坐 在 门口 看 着 猫", "鸟 在 树 上 唱歌 猫 听 着")
TEXTS = {"English": ENGLISH * 8, "Chinese": CHINESE * 9}
UNKNOWN = frozenset({"nobody", "窗外"})


def as_tokens(
    sentences: Sequence[str], unknown: frozenset[str] = UNKNOWN
) -> tuple[Vocabulary, Tokens]:
    """Return words by count and the ids of sentences, each of which is a document."""
    cut = [sentence.split() for sentence in sentences]
    counted = Counter(word for words in cut for word in words)
    words = sorted(counted.keys() - unknown, key=lambda word: (-counted[word], word))
    id_of = {word: number + 1 for number, word in enumerate(words)}
    ids = np.array([id_of.get(word, 0) for line in cut for word in line], np.uint16)
    starts = np.cumsum([0, *map(len, cut)])
    file = TokenFile(Path(), ids, starts, starts, len(words) + 1)
    counts = np.array([sum(counted[word] for word in unknown), *(counted[w] for w in words)])
    return Vocabulary(["[UNK]", *words], counts), Tokens(file, None)
