"""Everything that reads a file of the user's: how a good one is written, and how it is read.

`write` puts files into an empty folder; `read` opens them, and uses what it has opened as far as a
wrong number could do harm.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import struct
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import zstandard

from foretext.artifact import load_embedder
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.candidate import Candidate
from foretext.comparison.jobs import KeptJob
from foretext.comparison.ledger import Ledger, Outcome, Plan, SeedOutcome
from foretext.comparison.worker import Answer, AnswerReply
from foretext.corpus import Corpus, CorpusConfig, inspect_corpus
from foretext.corpus.texts import texts
from foretext.data.images import read_images
from foretext.data.rows import (
    PairsConfig,
    read_pairs,
    read_questions,
    read_tagged,
    read_texts,
)
from foretext.evaluation.vectors import evaluate_vectors
from foretext.metrics.paired import share_tallies
from foretext.pretraining.shared import SharedFolder
from foretext.pretraining.word_vectors import SharedWords
from foretext.recipe import Recipe
from foretext.search import SearchIndex
from foretext.search.index import index
from foretext.tasks.answers import ShownRow
from foretext.tasks.classification.embeddings.classifier import EmbeddingClassifier
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_words import WordVocabulary
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.tagging.linear import LinearTagger
from foretext.tokenizers.hf_files import load_hf_tokenizer, load_target_tokenizer
from foretext.vectors.neighbor_graph import NeighborIndex
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors
from tests.tokenizers.sentencepiece_writer import model_bytes
from tests.tokenizers.test_marian import marian_folder

__all__ = ["READERS", "Reader"]


class Reader(NamedTuple):
    """One kind of file, or of folder."""

    name: str
    write: Callable[[Path], object]
    read: Callable[[Path], object]


TEXT = "".join(f"A small döcument, {n} of forty.\nIt has two lines.\n\n" for n in range(40))
LABELLED = [("a fine film", "good"), ("a bad film", "bad"), ("schön", "good"), ("dull", "bad")] * 3
WORDS = [f"wörd{number}" for number in range(30)]
VECTORS = np.random.default_rng(0).standard_normal((30, 5)).astype(np.float32)
ANSWERED = {"id": "1", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
UNANSWERED = {"id": "2", "question": "Whom?", "answers": [], "is_impossible": True}
PARAGRAPH = {"context": "Ada wrote to Bob.", "qas": [ANSWERED, UNANSWERED]}
SQUAD = {"data": [{"title": "T", "paragraphs": [PARAGRAPH]}]}
CMRC = [
    {
        "context_text": "北京是中国的首都。",
        "title": "T",
        "qas": [{"query_id": "1", "query_text": "哪里?", "answers": ["北京"]}],
    }
]


def _read_marian(folder: Path) -> None:
    target = load_target_tokenizer(folder)
    assert target is not None
    target.decode(load_hf_tokenizer(folder).encode("the cats sat"))


def _file(name: str, content: bytes | str) -> Callable[[Path], object]:
    whole = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(whole)


def _json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _parquet(folder: Path, **columns: list[Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(columns)
    pq.write_table(table, folder / "a.parquet", row_group_size=10)


def _corpus(folder: Path, **settings: Any) -> None:
    for _ in Corpus(folder, CorpusConfig(**settings)).blocks():
        pass


def _rows(separator: str) -> str:
    return "".join(f"{text}{separator}{label}\n" for text, label in [("text", "label"), *LABELLED])


def _shared_words(folder: Path) -> None:
    settings = ["tokenizer.min_count=1", "tokenizer.pre_tokenizer='unicode_words'"]
    text = Corpus(texts([f"a text of {word}" for word in WORDS]))
    words = SharedWords.of(SharedFolder(folder), Recipe.load("word2vec", settings), text)
    words.tokenizer.decode(words.ids.ids)


def _labelled(name: str) -> list[dict[str, Any]]:
    return [{"text": text, name: label} for text, label in LABELLED]


PAIRS = _json_lines([{"text_a": a, "text_b": b, "score": len(a)} for a, b in LABELLED])
TAGGED = "-DOCSTART- O\n\nAda B-PER\nwrote O\n\nto O\nBob B-PER\n"
_REGION = {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}
LABEL_STUDIO = [
    {"data": {"text": "Ada met \U0001f600 Bo"}, "annotations": [{"result": [{"value": _REGION}]}]}
] * 3
CHOSEN = [
    {"data": {"text": "a"}, "annotations": [{"result": [{"value": {"choices": [label]}}]}]}
    for label in "xyz"
]
_TOKENS = [{"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": True}, {"text": "met", "start": 4}]
PRODIGY = (
    json.dumps(
        {
            "text": "Ada met",
            "answer": "accept",
            "tokens": _TOKENS,
            "spans": [{"start": 0, "end": 3, "label": "PER"}],
        }
    )
    + "\n"
) * 3
CONLLU = "# text = Ada\n1\tAda\t_\t_\t_\t_\t_\t_\t_\tNE=B-PER|SpacesAfter=\\s\\s\n\n" * 9
TAGGED_LINES = _json_lines([{"tokens": ["Ada", "wrote"], "tags": ["B-PER", "O"]}] * 9)


def _idx() -> bytes:
    return struct.pack(">4B3I", 0, 0, 8, 3, 10, 4, 4) + bytes(range(160))


def _npy(folder: Path) -> None:
    np.save(folder / "a.npy", VECTORS)


def _with_ngrams() -> WordVectors:
    ngrams = CharacterNgrams(2, 4, 50)
    buckets = np.arange(0, 50, 2, dtype=np.int64)
    rows = np.arange(25, dtype=np.int32)
    vectors = np.random.default_rng(1).standard_normal((25, 5)).astype(np.float32)
    subwords = SubwordVectors(ngrams, buckets, rows, vectors)
    return WordVectors(WORDS, VECTORS, np.arange(1, 31), subwords)


def _write_vectors(name: str, folder: Path, *, ngrams: bool = False, **options: Any) -> None:
    vectors = _with_ngrams() if ngrams else WordVectors(WORDS, VECTORS, np.arange(1, 31))
    vectors.save(folder / name, **options)


def _read_vectors(name: str, folder: Path) -> None:
    vectors = WordVectors.load(folder / name)
    vectors.neighbors([vectors.index_to_key[0]], topn=3)
    if vectors.subwords is not None:
        vectors.subwords.sums(["wörd1", "unseen"])
        vectors.subwords.of("unseen")


def _write_index(folder: Path) -> None:
    NeighborIndex.build(WordVectors(WORDS, VECTORS)).save(folder / "index")


def _read_index(folder: Path) -> None:
    NeighborIndex.load(folder / "index", WordVectors(WORDS, VECTORS)).neighbors(WORDS[:3], 3)


def _write_search_index(folder: Path, *, approximate: bool = False) -> None:
    with tempfile.TemporaryDirectory() as model:
        WordVectors(WORDS, VECTORS).save(Path(model) / "v.safetensors")
        settings = {"approximate": approximate}
        index(
            Path(model) / "v.safetensors",
            [TEXT, *WORDS],
            folder / "i",
            settings=settings,
            quiet=True,
        )


def _read_search_index(folder: Path) -> None:
    opened = SearchIndex(folder / "i", load_embedder)
    found = opened.search([WORDS[0], "dark night"], 3, by="both")
    assert all(np.isfinite(hit.score) for results in found for hit in results)
    opened.words.rows_with_all(["dark", "night"])
    for source in opened.passages.sources:
        list(opened.passages.rows_of(source.name))


def _evaluated(folder: Path) -> None:
    evaluate_vectors(WordVectors(WORDS, VECTORS), [folder / "questions"])


def _fasttext(**settings: Any) -> FastTextClassifier:
    small = FastTextClassifier(
        dim=4, epochs=2, workers=1, bucket=100, maxn=3, minn=2, pre_tokenizer="blanks", **settings
    )
    return small.fit([text for text, _ in LABELLED], [label for _, label in LABELLED])


def _write_fasttext(name: str, folder: Path, *, loss: str = "softmax", small: bool = False) -> None:
    classifier = _fasttext(loss=loss)
    (classifier.quantize(qnorm=True) if small else classifier).save(folder / name)


def _read_fasttext(name: str, folder: Path) -> None:
    classifier = FastTextClassifier.load(folder / name)
    classifier.predict_top(["a fine film", "unseen wörds", ""], k=None)


def _write_linear(folder: Path) -> None:
    texts, labels = zip(*LABELLED, strict=True)
    LinearClassifier().fit(texts, labels).save(folder / "model")


def _read_linear(folder: Path) -> None:
    LinearClassifier.load(folder / "model").predict_top(["a fine film", "unseen"], k=None)


def _write_matcher(folder: Path) -> None:
    pairs = [("a fine film", text) for text, _ in LABELLED]
    LinearMatcher().fit(pairs, [label for _, label in LABELLED]).save(folder / "model")


def _read_matcher(folder: Path) -> None:
    LinearMatcher.load(folder / "model").predict_top([("a fine film", "unseen")], k=None)


def _write_tagger(folder: Path) -> None:
    words = WordVectors(["a", "fine", "bad", "film", "dull"], VECTORS[:5])
    sentences, tags = [["a", "fine", "film"], ["a", "dull", "day"]], [["O", "B-X", "O"]] * 2
    LinearTagger(words).fit(sentences, tags).save(folder / "model")


def _read_tagger(folder: Path) -> None:
    LinearTagger.load(folder / "model").predict_proba([["a", "fine", "unseen"]])


def _write_embeddings(folder: Path) -> None:
    texts, labels = zip(*LABELLED, strict=True)
    with tempfile.TemporaryDirectory() as base:
        words = ["a", "fine", "bad", "film", "dull"]
        path = Path(base) / "v.safetensors"
        WordVectors(words, VECTORS[:5], np.arange(9, 4, -1)).save(path)
        EmbeddingClassifier(path).fit(texts, labels).save(folder / "model")


def _read_embeddings(folder: Path) -> None:
    EmbeddingClassifier.load(folder / "model").predict_top(["a fine film", "unseen"], k=None)


def _write_words(folder: Path) -> None:
    texts, labels = zip(*LABELLED, strict=True)
    parts = LinearClassifier().fit(texts, labels).parts
    WordVocabulary(parts.config, parts.features, parts.idf).write(folder / "words.safetensors")


def _read_words(folder: Path) -> None:
    WordVocabulary.read(folder / "words.safetensors").rows(["a fine film", "unseen"])


def _write_answers(folder: Path) -> None:
    tallies = share_tallies([1.0, 0.0])
    shown = [ShownRow("a", "good", "good"), ShownRow("b", "good", "bad")]
    KeptAnswers(2, "accuracy", {"accuracy": 0.5}, tallies, shown).save(folder / "answers")


def _read_answers(folder: Path) -> None:
    kept = KeptAnswers.load(folder / "answers")
    if kept.tallies is not None:
        kept.tallies.figure(kept.tallies.parts)


_JOB = Answer("run", "classification", "rows", "train", "answers")
_REPLY = AnswerReply(1.0, "accuracy", 0.5, {"accuracy": 0.5}, 2.0, 1.0, 3)


_LINEAR = Candidate("linear", "linear", group="classical", least_seconds=1.0)


def _write_ledger(folder: Path) -> None:
    ledger = Ledger(folder)
    ledger.begin(
        Plan(
            foretext="0",
            request={"task": "classification"},
            content="",
            seconds=1.0,
            pace=1.0,
            rows={"train": 8, "valid": 1, "test": 1},
            reading={},
            corpus=["corpus.txt"],
            text={},
            candidates=[_LINEAR],
        )
    )
    ledger.keep_given(_LINEAR, 1, 2.0)
    ledger.keep_num_measured(1)
    seeds = [SeedOutcome(0, 0.5, 1.0)]
    outcome = Outcome(status="finished", round=1, given=2.0, used=1.0, seeds=seeds)
    ledger.keep_outcome(_LINEAR, outcome)


def _read_ledger(folder: Path) -> None:
    ledger = Ledger(folder)
    plan, outcome = ledger.plan, ledger.outcome(_LINEAR, 1)
    given, rows = ledger.given(_LINEAR, 1), ledger.num_measured  # none: a kill came before it
    assert plan is None or all(each.folder.strip("./") == each.folder for each in plan.candidates)
    assert outcome is None or outcome.score is None or -np.inf < outcome.score < np.inf
    assert given is None or 0 <= given < np.inf
    assert rows is None or rows >= 0


def _write_job(folder: Path) -> None:
    KeptJob(replace(_JOB, out=str(folder / "answers"))).ended(_REPLY)


def _read_job(folder: Path) -> None:
    KeptJob.of(folder / "answers.json")


_SCORED = PairsConfig(score="score")
_utf_16 = partial(_corpus, encoding="utf-16")

READERS = [
    Reader("corpus txt", _file("a.txt", TEXT), _corpus),
    Reader("corpus utf-16", _file("a.txt", TEXT.encode("utf-16")), _utf_16),
    Reader("corpus gzip", _file("a.txt.gz", gzip.compress(TEXT.encode())), _corpus),
    Reader("corpus xz", _file("a.txt.xz", lzma.compress(TEXT.encode())), _corpus),
    Reader("corpus bzip2", _file("a.txt.bz2", bz2.compress(TEXT.encode())), _corpus),
    Reader("corpus zstandard", _file("a.txt.zst", zstandard.compress(TEXT.encode())), _corpus),
    Reader("corpus jsonl", _file("a.jsonl", _json_lines(_labelled("label"))), _corpus),
    Reader("corpus csv", _file("a.csv", _rows(",")), _corpus),
    Reader("corpus tsv", _file("a.tsv", _rows("\t")), _corpus),
    Reader("corpus parquet", lambda folder: _parquet(folder, text=[TEXT, None, "x"] * 9), _corpus),
    Reader("corpus doctor", _file("a.txt", TEXT), lambda folder: inspect_corpus(Corpus(folder))),
    Reader("rows csv", _file("a.csv", _rows(",")), read_texts),
    Reader("rows tsv", _file("a.tsv", _rows("\t")), read_texts),
    Reader("rows jsonl", _file("a.jsonl", _json_lines(_labelled("label"))), read_texts),
    Reader("rows fastText", _file("a.txt", "__label__good a fine film\n" * 9), read_texts),
    Reader(
        "rows parquet",
        lambda folder: _parquet(folder, text=["a", "b"] * 9, label=[1, 2] * 9, no=[0.5] * 18),
        read_texts,
    ),
    Reader("pairs jsonl", _file("a.jsonl", PAIRS), partial(read_pairs, config=_SCORED)),
    Reader("pairs tsv", _file("a.tsv", "text_a\ttext_b\tlabel\n" + "a\tb\tc\n" * 9), read_pairs),
    Reader("tagged", _file("a.txt", TAGGED), read_tagged),
    Reader("tagged jsonl", _file("a.jsonl", TAGGED_LINES), read_tagged),
    Reader("tagged export", _file("a.jsonl", json.dumps(LABEL_STUDIO)), read_tagged),
    Reader("tagged conllu", _file("a.txt", CONLLU), read_tagged),
    Reader("tagged prodigy", _file("a.jsonl", PRODIGY), read_tagged),
    Reader("texts export", _file("a.jsonl", json.dumps(CHOSEN)), read_texts),
    Reader("questions squad", _file("a.jsonl", json.dumps(SQUAD)), read_questions),
    Reader("questions cmrc", _file("a.jsonl", json.dumps(CMRC)), read_questions),
    Reader("images idx", _file("a", _idx()), lambda folder: read_images(folder / "a")),
    Reader(
        "images gzip", _file("a", gzip.compress(_idx())), lambda folder: read_images(folder / "a")
    ),
    Reader("images npy", _npy, lambda folder: read_images(folder / "a.npy")),
    *(
        Reader(f"vectors {name}", partial(_write_vectors, name), partial(_read_vectors, name))
        for name in ("v.txt", "v.txt.gz", "v.bin", "v.bin.gz", "v.glove.txt", "v.safetensors")
    ),
    Reader(
        "vectors of n-grams, fastText",
        partial(_write_vectors, "v.bin", ngrams=True),
        partial(_read_vectors, "v.bin"),
    ),
    Reader(
        "vectors of n-grams, int8",
        partial(_write_vectors, "v.safetensors", ngrams=True, dtype="int8"),
        partial(_read_vectors, "v.safetensors"),
    ),
    Reader("index of neighbours", _write_index, _read_index),
    Reader("search index", _write_search_index, _read_search_index),
    Reader(
        "search index with a graph",
        partial(_write_search_index, approximate=True),
        _read_search_index,
    ),
    Reader("word pairs", _file("questions", "wörd1\twörd2\t3\nwörd3\twörd4\t5\n" * 3), _evaluated),
    Reader("analogies", _file("questions", ": a\nwörd1 wörd2 wörd3 wörd4\n" * 3), _evaluated),
    Reader("classifier bin", partial(_write_fasttext, "m.bin"), partial(_read_fasttext, "m.bin")),
    Reader(
        "classifier bin, tree",
        partial(_write_fasttext, "m.bin", loss="hs"),
        partial(_read_fasttext, "m.bin"),
    ),
    Reader(
        "classifier ftz",
        partial(_write_fasttext, "m.ftz", small=True),
        partial(_read_fasttext, "m.ftz"),
    ),
    Reader("classifier folder", partial(_write_fasttext, "m"), partial(_read_fasttext, "m")),
    Reader(
        "classifier folder, quantised",
        partial(_write_fasttext, "m", small=True),
        partial(_read_fasttext, "m"),
    ),
    Reader("answers of a comparison", _write_answers, _read_answers),
    Reader("job of a comparison", _write_job, _read_job),
    Reader("ledger of a comparison", _write_ledger, _read_ledger),
    Reader("words that runs share", _shared_words, _shared_words),
    Reader("linear classifier", _write_linear, _read_linear),
    Reader("linear matcher", _write_matcher, _read_matcher),
    Reader("linear tagger", _write_tagger, _read_tagger),
    Reader("embedding classifier", _write_embeddings, _read_embeddings),
    Reader("word features", _write_words, _read_words),
    Reader(
        "tokenizer of SentencePiece",
        _file("spm.model", model_bytes()),
        lambda folder: load_hf_tokenizer(folder).encode("the cats sat"),
    ),
    Reader("tokenizers of Marian", marian_folder, _read_marian),
]  # fmt: skip
