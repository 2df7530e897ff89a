"""Taggers of pages without their networks: tokens, rows and entities are those of Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.artifact import kind_of_run
from foretext.corpus.text_tokens import split_text
from foretext.data.framing import Framing
from foretext.exporting.onnx import OnnxExport
from foretext.exporting.page.bundle import bundle
from foretext.exporting.page.character_runs import small_letters
from foretext.exporting.page.check_texts import HARD_TEXTS
from foretext.exporting.page.network_kinds import TagsOfTexts
from foretext.exporting.page.token_tables import token_tables
from foretext.metrics import entity_spans
from foretext.metrics.tag_schemes import SCHEMES, Scheme, spans_to_tags, tag_mark
from foretext.metrics.tag_schemes import Span as TagSpan
from foretext.tasks.tagging.scores import SentenceScores
from foretext.tasks.tagging.sentence_tagger import words_of
from foretext.tasks.tagging.windows import SentenceWindows
from foretext.tokenizers.alphabet import LONGEST_WORD, Alphabet
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer
from tests.exporting.models import saved_model

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
MARKS = (
    "They've 3,000.50 ships; don't! J. Smith's U.S. office… I'S I'ſ I'dé e-mail a--b ... 3.5 'tis"
)
EVERY = " ".join(map(chr, [*range(0x20, 0xD800, 23), *range(0xE000, 0x33000, 41)]))
TEXTS = [*HARD_TEXTS, MARKS, EVERY, "a king's men " * 40]
KNOWN: dict[str, Any] = {"whole_words": None, "characters": None}
KNOWN |= {"before": [1], "behind": [2], "room": 12, "unknown": 3, "pad": 0, "unspaced": []}


def answered(
    folder: Path, about: dict[str, Any], texts: list[str], scores: Any, **more: Any
) -> list[Any]:
    """Return what the page's code makes of texts and of the scores of their tokens."""
    (folder / "tags.cjs").write_text(bundle("node_tags.js"), encoding="utf-8")
    given = {"about": about, "texts": texts, "scores": scores, **more}
    (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
    run = subprocess.run(
        ["node", folder / "tags.cjs", folder / "given.json"],
        capture_output=True, encoding="utf-8", check=True, timeout=60,
    )  # fmt: skip
    found: list[Any] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("by_character", [False, True])
def test_tokens_are_those_of_python(by_character: bool, tmp_path: Path) -> None:
    tokens = {**token_tables(), "by_character": by_character}
    steps = dict.fromkeys(("transitions", "start", "end"))
    decoding = {**KNOWN, "labels": ["x", "y"], **steps}
    about = {"tokens": tokens, "decoding": decoding, "marks": None, "temperature": 1.0}
    own = [split_text(text, by_character=by_character) for text in TEXTS]
    scores = [[0.0, 1.0] * len(each) for each in own]
    for text, mine, found in zip(TEXTS, own, answered(tmp_path, about, TEXTS, scores), strict=True):
        assert [tuple(each.values()) for each in found["tokens"]] == [tuple(x) for x in mine]
        assert found["answer"] == {"text": text, "tags": [[token.text, "y"] for token in mine]}


@pytest.mark.parametrize("name", ["crf", "tagger"])
def test_entities_are_those_of_python(name: str, tmp_path: Path) -> None:
    path = saved_model(name, tmp_path)
    model: Any = ft.load(path)
    model.temperature = 0.7
    about = dict(TagsOfTexts(OnnxExport(model, kind_of_run(path))).facts)
    framing = model.base.framing(model.head.config.max_length)
    tokens = model.tokens(TEXTS)
    rng = np.random.default_rng(2)
    scores = [rng.normal(0, 2, (len(each), len(model.classes_))) for each in tokens]
    given = [each.astype(np.float32) for each in scores]
    read = SentenceScores(model.head, given)
    inputs = [(text,) for text in TEXTS]
    records = model.scored_records(inputs, tokens, read, model.options(None, None))
    assert sum(len(record["spans"]) for record in records) > 1000

    ids = [
        [[ord(letter) for letter in written] for written in spaced(words, about["decoding"])]
        for words in words_of(tokens)
    ]
    windows = SentenceWindows.of(ids, framing, model.base.pad)
    assert windows.num_cut > 5
    rows = iter(zip(windows.rows, windows.windows, strict=True))
    flat = [each.ravel().tolist() for each in given]
    found = answered(tmp_path, about, TEXTS, flat)
    for text, record, each in zip(TEXTS, records, found, strict=True):
        for row in each["rows"]:
            own, window = next(rows)
            answers = window.positions.tolist()
            assert row == {"ids": own, "answered": answers, "characters": None}
        for entity, mine in zip(each["answer"].pop("spans"), record["spans"], strict=True):
            assert entity == {**mine, "probability": entity["probability"]}
            assert entity["probability"] == pytest.approx(mine["probability"], abs=3e-6)
        assert each["answer"] == {"text": text}
    assert next(rows, None) is None


@pytest.mark.parametrize("lowercase", [True, False])
def test_words_are_those_of_python(lowercase: bool, tmp_path: Path) -> None:
    """Words that are read whole: their ids, and those of their characters, window by window."""
    model: Any = ft.load(saved_model("spelling tagger", tmp_path))
    words = model.base.tokenizer
    texts = [*TEXTS, "The SHIP of the King, İ ΣΑΣ Ǆ A\u030a " + "x" * 19 + " " + "ab" * 30]
    known = [token.text for token in split_text(texts[-1])][::2]
    counted = [*words.vocabulary.words, *known, "ship", "king", "i\u0307", "σασ", "ǆ", "å"]
    vocabulary = Vocabulary(
        [*dict.fromkeys(counted)], np.arange(len(dict.fromkeys(counted)), 0, -1)
    )
    config = words.config.model_copy(update={"lowercase": lowercase})
    tokenizer = WordTokenizer(config, vocabulary)
    alphabet = Alphabet("ehtiaΣåx")
    framing = Framing([], [], 24, [])
    small = {name: points.tolist() for name, points in small_letters().items()}
    steps = dict.fromkeys(("transitions", "start", "end"))
    decoding = {
        **KNOWN, **steps, "labels": ["x", "y"], "before": [], "behind": [], "room": framing.room,
        "unknown": 0, "whole_words": dict(tokenizer.word_rules),
        "characters": alphabet.characters, "most_characters": LONGEST_WORD,
    }  # fmt: skip
    about = {
        "tokens": {**token_tables(), "by_character": False},
        "small": small if lowercase else None,
        "decoding": decoding,
        "marks": None,
        "temperature": 1.0,
    }
    own = [[token.text for token in split_text(text)] for text in texts]
    scores = [[0.0, 1.0] * len(each) for each in own]
    ids = {word: number for number, word in enumerate(vocabulary.words)}
    found = answered(tmp_path, about, texts, scores, vocabulary=ids)
    for words_of_text, each in zip(own, found, strict=True):
        windows = SentenceWindows.of(tokenizer.encode_words([words_of_text]), framing, 0)
        assert [row["ids"] for row in each["rows"]] == windows.rows
        for row, window in zip(each["rows"], windows.windows, strict=True):
            spelled = alphabet.spelled(words_of_text[window.held] or [""])
            assert row["characters"] == spelled.ravel().tolist()
    numbers = np.concatenate(tokenizer.encode_words(own[-1:])[0])
    assert (numbers > 0).mean() > 0.5


def spaced(words: list[str], decoding: dict[str, Any]) -> list[str]:
    """Return words with a blank before each, but at the beginning and in scripts without blanks."""

    def unspaced(character: str) -> bool:
        return any(first <= ord(character) <= last for first, last in decoding["unspaced"])

    return [
        word if at == 0 or unspaced(words[at - 1][-1]) or unspaced(word[0]) else f" {word}"
        for at, word in enumerate(words)
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tags_of_every_scheme(scheme: Scheme, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    spans = [TagSpan(kind, at, at + size) for kind in "AB" for at, size in ((0, 1), (1, 3), (4, 2))]
    lawful = [tag for kind in "AB" for tag in spans_to_tags(
        [span for span in spans if span.label == kind], 6, scheme)]  # fmt: skip
    labels = sorted({*lawful, "O"})
    path = rng.integers(len(labels), size=200)  # tags that violate the scheme among them
    steps = dict.fromkeys(("transitions", "start", "end"))
    about = {
        "tokens": {**token_tables(), "by_character": False},
        "decoding": {**KNOWN, "labels": labels, **steps},
        "marks": [tag_mark(label) for label in labels],
        "temperature": 1.0,
    }
    text = " ".join("w" * len(path))
    scores = np.eye(len(labels))[path].ravel().tolist()
    (found,) = answered(tmp_path, about, [text], [scores])
    own = [
        TagSpan(e["label"], e["start"] // 2, e["end"] // 2 + 1) for e in found["answer"]["spans"]
    ]
    assert own == entity_spans([labels[tag] for tag in path])
