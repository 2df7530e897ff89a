"""Small models of every kind that a page runs, in folders and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.corpus.text_tokens import split_text
from foretext.tasks.classification.embeddings.classifier import EmbeddingClassifier
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.tagging.linear import LinearTagger
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.doc2vec import Doc2VecConfig, DocumentNetwork
from foretext.vectors.document_vectors import DocumentVectors
from foretext.vectors.ngrams import CharacterNgrams, SubwordTable
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["MODELS", "QUICK", "ROWS", "document_vectors", "saved_vectors", "words_of"]

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


def document_vectors(
    dim: int = 6, cut: PreTokenizerKind = "unicode_words", **settings: Any
) -> DocumentVectors:
    """Return vectors of documents with words and outputs that are drawn."""
    rng = np.random.default_rng(5)
    counts = np.arange(len(WORDS) + 1, 0, -1) ** 2
    config = Doc2VecConfig(vector_size=dim, infer_epochs=5, **settings)
    network = DocumentNetwork(config, counts, 0)
    network.output_rows[...] = rng.standard_normal(network.output_rows.shape)
    network.words[...] = rng.standard_normal(network.words.shape)
    tokenizer = WordTokenizer(
        WordTokenizer.Config(pre_tokenizer=cut), Vocabulary(["[UNK]", *WORDS], counts)
    )
    vectors = rng.standard_normal((2, dim)).astype(np.float32)
    return DocumentVectors(["one", "two"], vectors, ["the ship", "the king"], tokenizer, network)


def _document_vectors(**settings: Any) -> Callable[[Path], Path]:
    def save(folder: Path) -> Path:
        (folder / "model").mkdir()
        document_vectors(**settings).keep(folder / "model")
        facts = {"foretext": "0", "kind": DocumentVectors.kind}
        (folder / "model" / "config.json").write_text(json.dumps(facts))
        return folder / "model"

    return save


def _embeddings(labels: Any = None, **settings: Any) -> Callable[[Path], Path]:
    """Return what learns on word vectors, on document vectors and on words, as `auto` does."""

    def save(folder: Path) -> Path:
        bases = [saved_vectors("unicode_words"), document_vectors()]
        learned = EmbeddingClassifier(bases, **settings)
        own = None if labels is not None else TEXTS * 3  # texts without labels
        learned.fit(ROWS[0], ROWS[1] if labels is None else labels, unlabelled=own)
        learned.save(folder / "model")
        return folder / "model"

    return save


def _matcher(answers: Any) -> Callable[[Path], Path]:
    def save(folder: Path) -> Path:
        pairs = [(one, other) for one in TEXTS for other in (one, one[:20], TEXTS[1], TEXTS[3])]
        learned = LinearMatcher().fit(pairs, [answers[at % 4] for at in range(len(pairs))])
        learned.save(folder / "model")
        return folder / "model"

    return save


def _tagger(vectors: WordVectors | None = None, *, by_character: bool = False) -> Any:
    """Return what learns entities, which begin with capitals or with Chinese characters."""

    def save(folder: Path) -> Path:
        tokens = [[x.text for x in split_text(text, by_character=by_character)] for text in TAGGED]
        tags = [[_tag(word, at) for at, word in enumerate(own)] for own in tokens]
        LinearTagger(vectors, max_passes=20).fit(tokens, tags).save(folder / "model")
        return folder / "model"

    return save


TAGGED = (*TEXTS, "J. Smith met Éva in New-York, 1914 😀", "The ship of O'Neil & Sons at sea!")


def _tag(word: str, at: int) -> str:
    if word[0].isupper():
        return "B-NAME" if at % 3 else "B-CITY"
    return "B-ZH" if word[0] in "中北" else "I-ZH" if word[0] in "文京" else "O"


_SETS = [["sea", "law"] if place % 3 else ["land"] for place in range(len(ROWS[0]))]

QUICK = ("fasttext vectors", "softmax", "linear matcher", "linear tagger", "embedding classifier")
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
    "linear matcher": _matcher((True, True, False, False)),
    "three labels": _matcher(("same", "part", "other", "other")),
    "linear score": _matcher((1.0, 0.5, 0.0, 0.25)),
    "linear tagger": _tagger(),
    "tagger of characters": _tagger(by_character=True),
    "tagger with vectors": _tagger(saved_vectors()),
    "tagger with n-grams": _tagger(saved_vectors("unicode_words", with_ngrams=True)),
    "embedding classifier": _embeddings(),
    "embeddings of two labels": _embeddings([place // 4 % 2 for place in range(len(ROWS[0]))]),
    "embeddings of sets": _embeddings(_SETS, weighting="mean"),
    "document vectors": _document_vectors(),
    "PV-DM": _document_vectors(model="dm", window=3),
    "PV-DM, sum": _document_vectors(model="dm", context="sum", loss="hs"),
    "PV-DM, side by side": _document_vectors(model="dm", context="concat", window=2),
}
