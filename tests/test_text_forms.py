"""One text in two Unicode forms has one answer, whatever is asked."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foretext as ft
from foretext.corpus import Corpus
from foretext.corpus.decoding import Form, normalized
from foretext.data.rows import RowsConfig
from foretext.tokenizers.subwords import learn_subwords

KOREAN = [
    "배가 항구에 들어온다",
    "배가 바다로 나간다",
    "법원이 판결을 내린다",
    "판사가 법원에 간다",
]
VIETNAMESE = ["tàu vào cảng biển", "thuyền ra biển lớn", "tòa án tuyên án", "thẩm phán ở tòa"]
FAMILIES = [KOREAN, VIETNAMESE]


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize("texts", FAMILIES)
@pytest.mark.parametrize("kind", [ft.Word2Vec, ft.FastText, ft.GloVe])
def test_word_vectors(kind: type, texts: list[str]) -> None:
    vectors = kind(min_count=1, vector_size=8, epochs=1, workers=1).fit(texts * 20).vectors_
    first, second = texts[0].split()[:2]
    assert nfd(first) != first
    np.testing.assert_array_equal(vectors.embed([nfd(texts[0])]), vectors.embed([texts[0]]))
    assert vectors.embed([nfd(texts[0])]).any()
    assert nfd(first) in vectors
    np.testing.assert_array_equal(vectors[nfd(first)], vectors[first])
    assert vectors.similarity(nfd(first), second) == vectors.similarity(first, second)
    assert vectors.most_similar(nfd(first)) == vectors.most_similar(first)
    assert vectors.wmdistance(nfd(texts[0]), texts[1]) == vectors.wmdistance(texts[0], texts[1])


@pytest.mark.parametrize("word", ["항구에서", "바다로부터", "tiếng"])
def test_a_word_that_was_never_met_has_the_n_grams_of_its_own_form(word: str) -> None:
    texts = [*KOREAN, *VIETNAMESE, "tiến tới"] * 20
    vectors = ft.FastText(min_count=1, vector_size=8, epochs=1, workers=1).fit(texts).vectors_
    assert word not in vectors
    np.testing.assert_array_equal(vectors[nfd(word)], vectors[word])
    np.testing.assert_array_equal(vectors.embed([nfd(word)]), vectors.embed([word]))


def test_vectors_of_another_program_in_either_form(tmp_path: Path) -> None:
    for form in ("NFC", "NFD"):
        word = unicodedata.normalize(form, "배가")
        path = tmp_path / f"{form}.txt"
        path.write_text(f"2 2\n{word} 1 2\nship 3 4\n", encoding="utf-8")
        vectors = ft.WordVectors.load(path)
        for asked in ("배가", nfd("배가")):
            assert asked in vectors
            assert vectors.embed([f"{asked}, ship"]).tolist() == [[2, 3]]


@pytest.mark.parametrize("texts", FAMILIES)
@pytest.mark.parametrize("base", ["linear", "fasttext", "textcnn", "lstm"])
def test_a_classifier(base: str, texts: list[str], tmp_path: Path) -> None:
    rows = [(text, "sea" if row % 4 < 2 else "court") for row, text in enumerate(texts * 15)]
    settings = {} if base in ("linear", "fasttext") else {"training": {"epochs": 1}}
    model = ft.finetune(
        "classification", base, rows, tmp_path / "run", settings=settings, quiet=True
    )
    for opened in (model, ft.load(tmp_path / "run")):
        right = opened.predict_proba(texts)
        np.testing.assert_allclose(opened.predict_proba([nfd(text) for text in texts]), right)
        lines = [record["text"] for record in opened.predictions([nfd(texts[0])])]
        assert lines == [nfd(texts[0])]  # an answer shows the text as it was given


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram", "word"])
@pytest.mark.parametrize("texts", FAMILIES)
def test_sub_words(kind: str, texts: list[str], tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("\n".join(texts * 50), encoding="utf-8")
    settings = {"vocab_size": {"bpe": 300, "wordpiece": 60}.get(kind, 40)}
    tokenizer = learn_subwords(kind, settings, Corpus(tmp_path / "corpus.txt"))
    tokenizer.save(tmp_path / "tokenizer.json")
    for each in (tokenizer, type(tokenizer).load(tmp_path / "tokenizer.json")):
        for text in texts:
            assert each.encode(nfd(text)) == each.encode(text)
            long = f"{text}\n\n" * 2000  # which a table of words encodes
            assert each.encode_block(nfd(long)).ids.tolist() == each.encode_block(long).ids.tolist()
            ((_, offsets),) = each.encode_with_offsets([nfd(text)])
            assert offsets[-1, 1] == len(nfd(text))
        words = [text.split() for text in texts]
        decomposed = [nfd(text).split() for text in texts]
        assert each.encode_words(decomposed) == each.encode_words(words)


@given(
    st.text("ae\u0301\u0323ộ각가\u1100\u1161\u11a8ﬁ \n\u0344Ａ", max_size=12),
    st.sampled_from(["NFC", "NFKC", "none"]),
)
def test_places_in_the_text_as_it_was_given(text: str, form: Form) -> None:
    found = normalized(text, form)
    expected = text if form == "none" else unicodedata.normalize(form, text)
    assert found.text == expected
    assert len(found.starts) == len(found.ends) == len(found.text)
    assert found.span(0, len(found.text)) == (0, len(text)) or not found.text
    parts = dict.fromkeys(zip(found.starts, found.ends, strict=True))
    assert "".join(text[start:end] for start, end in parts) == text


def wide(text: str) -> str:
    """Return a text in full-width letters, of which NFKC makes plain ones."""
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


PLAIN = ["fine film 3", "a good film (9)", "bad film 2", "a dull film (1)"]
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "linear": ("linear", {}),
    "linear of characters": ("linear", {"linear": {"features": "characters"}}),
    "fasttext": ("fasttext", {}),
    "fasttext of blanks": ("fasttext", {"classifier": {"pre_tokenizer": "blanks"}}),
    "textcnn": ("textcnn", {"training": {"epochs": 1}}),
    "ensemble": ("textcnn", {"training": {"epochs": 1}, "finetuning": {"ensemble": True}}),
    "wide": ("textcnn", {"training": {"epochs": 1}, "task": {"word_features": "tfidf"}}),
}


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_classifier_answers_in_the_form_of_its_rows(kind: str, tmp_path: Path) -> None:
    base, settings = KINDS[kind]
    texts = [f"{text} {row}" for row in range(40) for text in PLAIN]
    rows = [(text, "good" if row % 4 < 2 else "bad") for row, text in enumerate(texts)]
    settings = {**settings, "rows": {"normalization": "NFKC"}}
    run = tmp_path / "run"
    model = ft.finetune("classification", base, rows, run, settings=settings, quiet=True)
    model.save(tmp_path / "again")
    for opened in (model, ft.load(run), ft.load(tmp_path / "again")):
        right = opened.predict_proba(PLAIN)
        np.testing.assert_allclose(opened.predict_proba([*map(wide, PLAIN)]), right)
        explained = opened.explain([wide(PLAIN[0])])[0]
        assert "".join(word.text for word in explained.words) in wide(PLAIN[0]).replace(" ", "")


@pytest.mark.parametrize("base", ["lstm", "textcnn"])
def test_pairs_are_read_in_the_form_of_their_rows(base: str, tmp_path: Path) -> None:
    texts = [f"{text} {row}" for row in range(8) for text in PLAIN]
    rows = [
        (text, texts[place - place % 2], "same" if place % 2 == 0 else "other")
        for place, text in enumerate(texts)
    ]
    settings: dict[str, Any] = {
        "rows": {"normalization": "NFKC"},
        "training": {"epochs": 1},
        "task": {"mode": "siamese", "word_features": "overlap"},
    }
    model = ft.finetune("matching", base, rows, tmp_path / "run", settings=settings, quiet=True)
    for opened in (model, ft.load(tmp_path / "run")):
        right = opened.predict_proba([("fine film 3", "fine film")])
        found = opened.predict_proba([(wide("fine film 3"), "fine film")])
        np.testing.assert_allclose(found, right)


def test_fasttexts_classifier_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text(
        "".join(
            f"__label__{'a' if row % 2 else 'b'} {wide(PLAIN[row % 4])}\n" for row in range(40)
        ),
        encoding="utf-8",
    )
    rows = RowsConfig(normalization="NFKC")
    for pre_tokenizer in ("blanks", "unicode_words"):
        model = ft.FastTextClassifier(pre_tokenizer=pre_tokenizer, workers=1)
        model.fit(tmp_path / "rows.txt", rows=rows)
        smaller = model.quantize(cutoff=20)
        for each in (model, smaller):
            right = each.predict_proba(PLAIN)
            np.testing.assert_array_equal(each.predict_proba([*map(wide, PLAIN)]), right)
