"""Small models of every kind that a page runs, in folders and files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.ngrams import CharacterNgrams, SubwordTable
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["MODELS", "QUICK", "ROWS", "saved_vectors", "words_of"]

TEXTS = (
    "the ship on the wave, the ships in the harbour",
    "the judge and the jury of the court",
    "a king and a queen in the castle 😀",
    "中文分词很有意思，我爱北京",
    "İstanbul ve ΟΔΥΣΣΕΎΣ, Straße und ﬁsh",
)
LABELS = ("sea", "law", "land", "中文", "sea")
ROWS = ([text for text in TEXTS for _ in range(4)], [label for label in LABELS for _ in range(4)])
WORDS = [
    "the",
    "ship",
    "wave",
    "ships",
    "harbour",
    "judge",
    "jury",
    "court",
    "king",
    "queen",
    "castle",
    "中",
    "文",
    "北",
    "京",
    "i̇stanbul",
    "οδυσσεύσ",
    "straße",
    "ﬁsh",
    "été",
    "1914",
    "2016",
    "1066",
]
SMALL: dict[str, Any] = {"dim": 5, "epochs": 3, "workers": 1}


def words_of(kind: PreTokenizerKind, *, lowercase: bool = True) -> Callable[[str], list[str]]:
    """Return what cuts texts into the words of `WORDS`."""
    vocabulary = Vocabulary(["[UNK]", *WORDS], np.zeros(len(WORDS) + 1, np.int64))
    config = WordTokenizer.Config(pre_tokenizer=kind, lowercase=lowercase)
    return WordTokenizer(config, vocabulary).words


def saved_vectors(
    kind: PreTokenizerKind | None = None, *, with_ngrams: bool = False, dim: int = 6
) -> WordVectors:
    """Return vectors that are drawn; `kind` says how texts are cut, None: at white space."""
    rng = np.random.default_rng(3)
    subwords = None
    if with_ngrams:
        ngrams = CharacterNgrams(2, 4, 200)
        table = SubwordTable.build(WORDS, np.ones(len(WORDS), np.int64), ngrams)
        rows = rng.standard_normal((len(table.members), dim)).astype(np.float32)
        subwords = SubwordVectors(ngrams, table.buckets, table.bucket_rows, rows)
    vectors = rng.standard_normal((len(WORDS), dim)).astype(np.float32)
    counts = np.arange(len(WORDS), 0, -1)
    split = None if kind is None else words_of(kind)
    return WordVectors(WORDS, vectors, counts, subwords, split=split)


def _vectors(folder: Path) -> Path:
    saved_vectors().save(folder / "vectors.txt")
    return folder / "vectors.txt"


def _fasttext_vectors(folder: Path) -> Path:
    saved_vectors(with_ngrams=True).save(folder / "vectors.bin")
    return folder / "vectors.bin"


def _classifier(**settings: Any) -> Callable[[Path], Path]:
    def save(folder: Path) -> Path:
        hashes = {"word_ngrams", "maxn"} & set(settings)
        buckets = {"bucket": 300} if hashes else {}
        FastTextClassifier(**SMALL | buckets | settings).fit(*ROWS).save(folder / "model")
        return folder / "model"

    return save


def _quantised(**settings: Any) -> Callable[[Path], Path]:
    def save(folder: Path) -> Path:
        learned = FastTextClassifier(**SMALL, word_ngrams=2, minn=2, maxn=3, bucket=300).fit(*ROWS)
        learned.quantize(**settings).save(folder / "model")
        return folder / "model"

    return save


def _linear(labels: Any = None, **settings: Any) -> Callable[[Path], Path]:
    def save(folder: Path) -> Path:
        LinearClassifier(**settings).fit(ROWS[0], ROWS[1] if labels is None else labels).save(
            folder / "model"
        )
        return folder / "model"

    return save


_SETS = [["sea", "law"] if place % 3 else ["land"] for place in range(len(ROWS[0]))]

QUICK = ("fasttext vectors", "softmax")
MODELS: dict[str, Callable[[Path], Path]] = {
    "vectors": _vectors,
    "fasttext vectors": _fasttext_vectors,
    "softmax": _classifier(word_ngrams=3, minn=2, maxn=4, pre_tokenizer="unicode_words"),
    "linear words": _linear(),
    "hierarchical": _classifier(loss="hs", word_ngrams=2, pre_tokenizer="blanks"),
    "lower blanks": _classifier(minn=1, maxn=3, pre_tokenizer="blanks", lowercase=True),
    "one vs all": _classifier(loss="ova", minn=2, maxn=3, pre_tokenizer="basic_english"),
    "negative sampling": _classifier(
        loss="ns", word_ngrams=2, pre_tokenizer="words_and_punctuation"
    ),
    "characters": _classifier(word_ngrams=2, pre_tokenizer="chinese_characters"),
    "quantised": _quantised(),
    "norms": _quantised(qnorm=True, dsub=3),
    "pruned": _quantised(cutoff=15),
    "linear characters": _linear(features="characters"),
    "linear signs": _linear(pre_tokenizer="words_and_punctuation"),
    "linear blanks": _linear(pre_tokenizer="whitespace"),
    "two labels": _linear([place % 2 for place in range(len(ROWS[0]))]),
    "sets of labels": _linear(_SETS),
}
