"""The estimator: it learns, answers, is measured, and says in a sentence what will not do."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import (
    CorpusError,
    EvaluationError,
    ForetextError,
    OutputError,
    SettingError,
    VectorFileError,
)
from foretext.base.parsing import read_tensors, write_tensors
from foretext.data.rows import LabelledText
from foretext.tasks.examining import examine
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.fasttext.config import FastTextClassifierConfig
from foretext.tasks.fasttext.labelled_texts import TextsWithLabels
from foretext.vectors.word_vectors import WordVectors
from tests.tasks.fasttext.texts import ASKED, NAMES, labelled_texts

TEXTS, LABELS = labelled_texts()
SMALL: dict[str, Any] = {"dim": 16, "lr": 0.5, "epochs": 10, "workers": 1}


@pytest.fixture(scope="module")
def classifier() -> FastTextClassifier:
    return FastTextClassifier(**SMALL, word_ngrams=2, bucket=2_000).fit(TEXTS, LABELS)


@pytest.mark.parametrize("loss", ["softmax", "hs", "ns", "ova"])
@pytest.mark.parametrize("workers", [1, 2])
def test_it_learns(loss: str, workers: int) -> None:
    settings = SMALL | {"loss": loss, "workers": workers}
    classifier = FastTextClassifier(**settings).fit(TEXTS, LABELS)
    others, theirs = labelled_texts(200, seed=1)
    assert classifier.score(others, theirs) > 0.95
    assert classifier.history[-1]["loss"] < classifier.history[0]["loss"]


def test_characters_know_unseen_words() -> None:
    by_characters = FastTextClassifier(**SMALL, minn=3, maxn=4, bucket=3_000).fit(TEXTS, LABELS)
    unseen = [f"{name}99" for name in NAMES]
    assert by_characters.predict(unseen).tolist() == NAMES


def test_word_ngrams_know_the_order_of_words() -> None:
    texts = ["dog bites man", "man bites dog"] * 60
    labels = ["usual", "news"] * 60
    alone = FastTextClassifier(**SMALL).fit(texts, labels)
    pairs = FastTextClassifier(**SMALL, word_ngrams=2, bucket=1_000).fit(texts, labels)
    assert np.ptp(alone.predict_proba(texts[:2]), axis=0).max() < 1e-6
    assert pairs.predict(texts[:2]).tolist() == labels[:2]


def test_several_labels_a_text() -> None:
    rng = np.random.default_rng(0)
    chosen = [sorted(rng.choice(NAMES, rng.integers(1, 3), replace=False)) for _ in range(500)]
    texts = [" ".join(f"{name}{rng.integers(9)}" for name in each) for each in chosen]
    classifier = FastTextClassifier(**SMALL | {"epochs": 30}, loss="ova").fit(texts, chosen)
    found = classifier.predict(texts[:100], k=None, threshold=0.5)
    assert (
        np.mean([sorted(each) == right for each, right in zip(found, chosen, strict=False)]) > 0.9
    )
    figures = classifier.evaluate(texts, chosen, k=2)
    assert figures["recall"] > 0.95


def test_answers_agree_with_each_other(classifier: FastTextClassifier) -> None:
    chances = classifier.predict_proba(ASKED)
    assert classifier.classes_.tolist() == sorted(NAMES)
    assert chances.shape == (len(ASKED), len(NAMES))
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-5)
    best = classifier.predict(ASKED)
    for row, label, pairs in zip(chances, best, classifier.predict_top(ASKED, k=3), strict=True):
        assert label == classifier.classes_[row.argmax()] == pairs[0][0]
        assert [chance for _, chance in pairs] == sorted(row.tolist(), reverse=True)[:3]
    sure = classifier.predict_top(ASKED, k=None, threshold=0.5)
    assert all(chance >= 0.5 for row in sure for _, chance in row)
    assert classifier.predict_proba([]).shape == (0, len(NAMES))


def test_numbers_are_labels_too() -> None:
    numbers = np.array([NAMES.index(label) for label in LABELS])
    classifier = FastTextClassifier(**SMALL).fit(TEXTS, numbers)
    assert classifier.classes_.tolist() == [0, 1, 2, 3, 4]
    assert classifier.predict(TEXTS[:3]).dtype == numbers.dtype
    assert classifier.score(TEXTS, numbers) > 0.95


def test_texts_with_line_ends_are_one_text(classifier: FastTextClassifier) -> None:
    one, two = classifier.predict_proba(["music1é\nmusic2é", "music1é music2é"])
    np.testing.assert_array_equal(one, two)


def test_one_worker_is_deterministic_and_the_seed_matters() -> None:
    first, again = (FastTextClassifier(**SMALL).fit(TEXTS, LABELS) for _ in range(2))
    other = FastTextClassifier(**SMALL, seed=2).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(first.predict_proba(TEXTS), again.predict_proba(TEXTS))
    assert (first.predict_proba(TEXTS) != other.predict_proba(TEXTS)).any()


def test_figures_by_hand(classifier: FastTextClassifier) -> None:
    texts = ["music1é music2é", "music3é music4é", "world1é world2é", "world3é world1é"]
    figures = classifier.evaluate(texts, ["music", "world", "world", "never met"])
    assert figures["texts"] == 4
    assert figures["precision"] == figures["recall"] == figures["accuracy"] == 0.5
    assert figures["labels"]["music"] == {"precision": 0.5, "recall": 1, "f1": 2 / 3, "support": 1}
    assert figures["labels"]["never met"]["recall"] == 0
    both = classifier.evaluate(texts, [["music", "world"]] * 4, k=2)
    assert (
        both["recall"]
        == both["precision"]
        == pytest.approx(
            np.mean([len({"music", "world"} & set(row)) for row in classifier.predict(texts, k=2)])
            / 2
        )
    )


def test_files_of_labelled_texts(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    lines = (f"__label__{label} {text}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    path.write_text("".join(lines), encoding="utf-8")
    from_file = FastTextClassifier(**SMALL).fit(path)
    from_lists = FastTextClassifier(**SMALL).fit([text.strip() for text in TEXTS], LABELS)
    assert from_file.evaluate(path)["accuracy"] > 0.95
    np.testing.assert_allclose(
        from_file.predict_proba(ASKED), from_lists.predict_proba(ASKED), atol=1e-6
    )


@pytest.mark.parametrize("quantised", [False, True])
def test_a_folder_gives_the_same_answers(
    classifier: FastTextClassifier, tmp_path: Path, quantised: bool
) -> None:
    kept = classifier.quantize(dsub=3, qnorm=True) if quantised else classifier
    kept.save(tmp_path / "kept")
    again = FastTextClassifier.load(tmp_path / "kept")
    np.testing.assert_array_equal(again.predict_proba(ASKED), kept.predict_proba(ASKED))
    assert again.classes_.tolist() == kept.classes_.tolist()
    assert again.config.word_ngrams == 2
    with pytest.raises(OutputError, match=r"kept exists; choose another name"):
        kept.save(tmp_path / "kept")
    kept.save(tmp_path / "kept", overwrite=True)


def test_begin_with_vectors_and_know_their_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = [f"{name}{number}é" for name in NAMES for number in range(60)]
    place = np.repeat(np.eye(5, 16), 60, axis=0)
    vectors = WordVectors(words, (place + rng.normal(0, 0.1, place.shape)).astype(np.float32))
    vectors.save(tmp_path / "vectors.txt")
    settings = SMALL | {"epochs": 3}
    begun = FastTextClassifier(**settings, pretrained_vectors=tmp_path / "vectors.txt")
    begun.fit(TEXTS, LABELS)
    never_trained = [f"{name}55é {name}56é" for name in NAMES]
    assert begun.predict(never_trained).tolist() == NAMES
    with pytest.raises(SettingError, match=r"have 16 dimensions, but dim is 8; set dim = 16"):
        FastTextClassifier(
            **SMALL | {"dim": 8}, pretrained_vectors=str(tmp_path / "vectors.txt")
        ).fit(TEXTS, LABELS)


def test_patience_ends_a_training_that_gets_worse() -> None:
    texts, labels = labelled_texts(120, seed=5)
    noise = np.random.default_rng(0).permutation(labels).tolist()
    patient = FastTextClassifier(**SMALL | {"epochs": 200, "lr": 2.0}, patience=2)
    others, theirs = labelled_texts(100, seed=6)
    patient.fit(texts, noise, valid=TextsWithLabels(others, [(label,) for label in theirs]))
    assert patient.history[-1]["epoch"] < 100
    assert patient.history[-1]["valid_loss"] > 0
    with pytest.raises(SettingError, match=r"patience = 2 needs held-out text"):
        FastTextClassifier(**SMALL, patience=2).fit(texts, labels)


def test_rare_words_and_labels_are_left_out() -> None:
    texts, labels = [*TEXTS, "hapax"], [*LABELS, "rare label"]
    classifier = FastTextClassifier(**SMALL, min_count=2, min_count_label=2).fit(texts, labels)
    assert "hapax" not in classifier.model.dictionary.words
    assert "rare label" not in classifier.classes_


def test_small_letters_and_other_words() -> None:
    texts = ["GOOD film!", "Good, good", "bad film", "BAD... bad"] * 20
    labels = ["pos", "pos", "neg", "neg"] * 20
    settings = SMALL | {"pre_tokenizer": "unicode_words", "lowercase": True}
    classifier = FastTextClassifier(**settings).fit(texts, labels)
    assert classifier.predict(["gOOd!!!", "bAd"]).tolist() == ["pos", "neg"]
    assert set(classifier.model.dictionary.words) == {"</s>", "good", "bad", "film"}
    lower = FastTextClassifier(**SMALL, pre_tokenizer="blanks", lowercase=True).fit(texts, labels)
    assert "film!" in lower.model.dictionary.words


def test_scikit_learn_takes_it_for_its_own() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    classifier = FastTextClassifier(**SMALL)
    params = clone(classifier).get_params()
    assert params == classifier.get_params()
    assert SMALL.items() <= params.items()
    assert classifier.set_params(lr=0.25).config.lr == 0.25
    assert cross_val_score(FastTextClassifier(**SMALL), TEXTS, LABELS, cv=3).min() > 0.9


WRONG: dict[str, tuple[dict[str, Any], Any, Any, type[ForetextError], str]] = {
    "one class": ({}, ["a", "b"], ["x", "x"], CorpusError, r"the same label, 'x'"),
    "no labels": ({}, ["a", "b"], [(), ()], CorpusError, r"No text has a label"),
    "no words": ({}, ["", "  "], ["x", "y"], CorpusError, r"no word that occurs min_count = 1"),
    "rare words": ({"min_count": 9}, ["a", "b"], ["x", "y"], CorpusError, r"min_count = 9 times"),
    "lengths": ({}, ["a", "b"], ["x"], CorpusError, r"2 texts and 1 label do not go together"),
    "no text": ({}, ["a", None], ["x", "y"], CorpusError, r"text 2 is None, not a text"),
    "nothing given": ({}, ["a", "b"], None, SettingError, r"Texts need labels"),
    "file and labels": ({}, "f.csv", ["x"], SettingError, r"f.csv is a file"),
    "no file": ({}, "nowhere.csv", None, CorpusError, r"nowhere.csv"),
    "rate": ({"lr": 1e18}, TEXTS, LABELS, SettingError, r"no longer a number .* than lr = 1e\+18"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_will_not_do_says_so(name: str) -> None:
    settings, texts, labels, error, sentence = WRONG[name]
    with pytest.raises(error, match=sentence):
        FastTextClassifier(**SMALL | settings).fit(texts, labels)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"bucket": 5, "word_ngrams": 1, "maxn": 0},
            r"bucket would have no effect without n-grams",
        ),
        ({"minn": 2}, r"minn would have no effect without n-grams of characters"),
        ({"minn": 2, "maxn": 0}, r"minn would have no effect without n-grams of characters"),
        ({"negative": 9}, r'negative would have no effect without loss = "ns"'),
        ({"minn": 4, "maxn": 3}, r"maxn = 3 must not be less than minn = 4"),
        ({"epochs": 9, "budget_seconds": 1.0}, r"epochs would have no effect beside a budget"),
        ({"label_prefix": "a b"}, r"it must hold no blank"),
        ({"loss": "hinge"}, r"loss = 'hinge'"),
    ],
)
def test_settings_without_effect_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        FastTextClassifier(**settings).fit(["a"], ["b"])


def test_a_setting_that_there_is_not_changes_nothing() -> None:
    classifier = FastTextClassifier(lr=0.5)
    with pytest.raises(
        SettingError, match=r"wordNgrams: FastTextClassifier has no such setting\. Did you mean"
    ):
        classifier.set_params(wordNgrams=2)
    assert repr(classifier) == "FastTextClassifier(lr=0.5)"
    with pytest.raises(TypeError, match="wordNgrams"):
        FastTextClassifier(wordNgrams=2)  # type: ignore[call-arg]


def test_the_arguments_are_the_settings_with_their_defaults() -> None:
    fields = FastTextClassifierConfig.model_fields
    arguments = inspect.signature(FastTextClassifier).parameters
    assert list(arguments) == list(fields)
    for name, argument in arguments.items():
        assert argument.default == (None if name == "workers" else fields[name].default)


def test_it_must_learn_first_and_texts_are_a_list(classifier: FastTextClassifier) -> None:
    with pytest.raises(SettingError, match="learned nothing yet; call fit first"):
        FastTextClassifier().predict(["a"])
    with pytest.raises(CorpusError, match="text 1 is 1 of type int, not a text"):
        classifier.predict([1])
    with pytest.raises(SettingError, match="k = 0 of type int: give a whole number from 1"):
        classifier.predict(["a"], k=0)
    with pytest.raises(EvaluationError, match="No text has a label to compare with"):
        classifier.evaluate(["a"], [()])


def test_damaged_folders_say_so(classifier: FastTextClassifier, tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match="holds no finished classifier"):
        FastTextClassifier.load(tmp_path)
    folder = tmp_path / "kept"
    classifier.save(folder)
    facts = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(facts | {"kind": "word vectors"}))
    with pytest.raises(VectorFileError, match="holds no classifier of fastText"):
        FastTextClassifier.load(folder)
    settings = facts["classifier"] | {"dim": 8}
    (folder / "config.json").write_text(json.dumps(facts | {"classifier": settings}))
    with pytest.raises(VectorFileError, match="the tensors do not go together"):
        FastTextClassifier.load(folder)
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(VectorFileError, match="no safetensors file"):
        FastTextClassifier.load(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(VectorFileError, match="is missing; fetch or write it again"):
        FastTextClassifier.load(folder)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("words", 0xFF, "its words are not UTF-8"),
        ("words", ord("\n"), "do not go with their counts|is empty, or holds a line end"),
        ("word_counts", -1, "occurs less than 0 times"),
        ("word_rows", 2**31 - 1, "the tensors do not go together"),
        ("bucket_rows", -1, "the tensors do not go together"),
        ("buckets", 2**31 - 1, "the tensors do not go together"),
        ("rows", np.nan, "NaN or an infinity"),
        ("rows", 3e38, "a number near it"),
        ("outputs", np.inf, "NaN or an infinity"),
    ],
)
def test_numbers_that_cannot_be(
    classifier: FastTextClassifier, tmp_path: Path, name: str, value: float, sentence: str
) -> None:
    classifier.save(tmp_path / "m")
    path = tmp_path / "m" / "model.safetensors"
    tensors, metadata = read_tensors(path, VectorFileError)
    changed = tensors[name].copy()
    changed.flat[0] = value
    write_tensors(path, tensors | {name: changed}, metadata)
    with pytest.raises(VectorFileError, match=sentence):
        FastTextClassifier.load(tmp_path / "m")


@pytest.mark.parametrize(
    "facts", ["[]", "{", '{"kind": 1}', '{"kind": "fasttext classifier"}', "[" * 9999]
)
def test_facts_that_say_nothing(tmp_path: Path, facts: str) -> None:
    (tmp_path / "config.json").write_text(facts)
    with pytest.raises(VectorFileError, match=r"is damaged|holds no classifier"):
        FastTextClassifier.load(tmp_path)


@pytest.mark.shared_data
@pytest.mark.slow
def test_r8(shared_data: Path) -> None:
    """The field's figure is 0.961 for fastText (Yao et al. 2019, table 2)."""
    classifier = FastTextClassifier(lr=0.5, epochs=25, seed=1)
    classifier.fit(shared_data / "r8" / "train.txt.xz")
    figures = classifier.evaluate(shared_data / "r8" / "test.txt.xz")
    assert figures["texts"] == 2189
    assert figures["accuracy"] > 0.961


def test_its_face_is_that_of_every_predictor(tmp_path: Path) -> None:
    texts, labels = ["a fine film", "a bad film", "fine", "bad"] * 4, ["good", "poor"] * 8
    model = FastTextClassifier(lr=1.0, epochs=20, dim=8, workers=1).fit(texts, labels)
    rows = [
        LabelledText(text, (label,), "a.tsv:1") for text, label in zip(texts, labels, strict=True)
    ]
    figures = model.figures(rows)
    assert figures["accuracy"] == model.evaluate(texts, labels)["accuracy"]
    assert set(examine(model, rows, learned_from=rows)) >= {"figures", "learned", "confusion"}
    (record,) = model.predictions(["a fine film"])
    assert model.shown(record).endswith("\ta fine film")
    model.write(tmp_path, {"task": "classification", **model.described()})
    assert FastTextClassifier.load(tmp_path).figures(rows) == figures


def test_texts_of_several_labels_are_judged_by_their_first_answer() -> None:
    texts, labels = ["a fine film", "a bad film"] * 8, [["good", "film"], ["poor", "film"]] * 8
    model = FastTextClassifier(lr=1.0, epochs=5, dim=8, workers=1).fit(texts, labels)
    rows = [LabelledText(text, tuple(own), "a:1") for text, own in zip(texts, labels, strict=True)]
    assert model.figures(rows) == model.evaluate(texts, labels)
    assert model.answer_rows(rows).findings(rows) == {}


def test_held_out_rows_may_be_in_memory() -> None:
    pandas = pytest.importorskip("pandas")
    rows = list(zip(TEXTS, LABELS, strict=True))
    table = pandas.DataFrame({"text": TEXTS, "label": LABELS})
    for valid in (rows, table):
        model = FastTextClassifier(**SMALL).fit(TEXTS, LABELS, valid=valid)
        assert model.history[-1]["valid_loss"] is not None
    assert model.quantize(rows, cutoff=5).predict(TEXTS[:1]) is not None


@pytest.mark.parametrize("kind", ["basic_english", "words_and_punctuation"])
def test_texts_of_signs_alone_have_a_word_for_each_byte(kind: str) -> None:
    """Room for half as many words was written over, which killed the process."""
    texts = ["!?" * 2000, "(a)"] * 3
    settings: dict[str, Any] = {"dim": 4, "epochs": 1, "workers": 1, "pre_tokenizer": kind}
    model = FastTextClassifier(word_ngrams=2, minn=0, maxn=0, bucket=50, **settings)
    model.fit(texts, ["signs", "letter"] * 3)

    tokens = model.model.dictionary.encode(["!?" * 5000, "a", "?!."])
    assert np.diff(tokens.starts).tolist() == [10_001, 2, 4]
    assert model.predict_proba(["?" * 100_000]).shape == (1, 2)
