"""The linear classifier: words decide, a file keeps it to the bit, and scikit-learn agrees."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError, SettingError
from foretext.base.parsing import read_tensors, write_tensors
from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.progress.bar import Progress
from foretext.progress.run_context import RunContext
from foretext.tasks import logistic_regression
from foretext.tasks.classification.linear import LinearClassifier, informative_features
from foretext.tasks.classification.linear_storage import FILE, LinearConfig

TEXTS = ["a good film", "a fine film", "bad, very bad", "a bad film", "good and fine"]
LABELS = ["pos", "pos", "neg", "neg", "pos"]
SEVERAL = [("film", "pos"), ("film", "pos"), (), ("film",), ("pos",)]
CHINESE = ["今天股市大涨", "股票下跌", "球队赢得比赛", "比赛很精彩"]
KINDS: dict[str, tuple[list[str], Any]] = {
    "two labels": (TEXTS, LABELS),
    "three labels": (TEXTS, ["a", "b", "c", "c", "b"]),
    "several labels": (TEXTS * 4, SEVERAL * 4),
    "a label that all have": (TEXTS, [(*labels, "text") for labels in SEVERAL]),
    "characters": (CHINESE, ["finance", "finance", "sports", "sports"]),
}


def test_words_tell_labels_apart() -> None:
    classifier = LinearClassifier().fit(TEXTS, LABELS)
    assert classifier.predict(["a very bad one", "a fine one"]).tolist() == ["neg", "pos"]
    probabilities = classifier.predict_proba(TEXTS)
    assert probabilities.shape == (5, 2)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(5))
    assert classifier.predict_proba([]).shape == (0, 2)
    assert classifier.predict([]).tolist() == []
    ((label, chance),) = classifier.predict_top(["bad"])[0]
    assert (label, chance > 0.5) == ("neg", True)


def test_rows_with_one_label_each_have_one_answer_each() -> None:
    classifier = LinearClassifier().fit(TEXTS, [(label,) for label in LABELS])
    assert classifier.predict(["bad"]).tolist() == ["neg"]


def test_several_labels_a_text() -> None:
    classifier = LinearClassifier().fit(TEXTS * 4, SEVERAL * 4)
    assert classifier.classes_.tolist() == ["film", "pos"]
    assert classifier.predict(["a good film", "bad"]).tolist() == [("film", "pos"), ()]


def test_characters_where_words_are_not_divided() -> None:
    texts, labels = KINDS["characters"]
    classifier = LinearClassifier().fit(texts, labels)
    assert classifier.predict(["昨日股市", "精彩球赛"]).tolist() == ["finance", "sports"]
    assert classifier.config.features == "characters"
    words = LinearClassifier(features="words").fit(texts, list("xxyy"))
    assert words.feature_names == sorted(texts)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second = (LinearClassifier().fit(TEXTS, LABELS).predict_proba(TEXTS) for _ in range(2))
    assert (first == second).all()


@pytest.mark.parametrize("kind", ["two labels", "three labels"])
def test_it_answers_as_scikit_learn_does(kind: str) -> None:
    texts, labels = KINDS[kind]
    vectorizer = TfidfVectorizer(
        token_pattern=r"\b\w+\b", ngram_range=(1, 2), sublinear_tf=True, dtype=np.float32
    )
    matrix = vectorizer.fit_transform(texts)
    regression = LogisticRegression(C=2.0, solver="sag", tol=1e-3, max_iter=100, random_state=0)
    theirs = regression.fit(matrix, labels).predict_proba(matrix)
    own = LinearClassifier(inverse_penalty=2.0).fit(texts, labels).predict_proba(texts)
    np.testing.assert_allclose(own, theirs, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_keeps_it_to_the_bit(kind: str, tmp_path: Path) -> None:
    texts, labels = KINDS[kind]
    classifier = LinearClassifier(inverse_penalty=3.0).fit(texts, labels)
    classifier.save(tmp_path / "kept")
    kept = ft.load(tmp_path / "kept")
    assert isinstance(kept, LinearClassifier)
    assert (kept.predict_proba(texts) == classifier.predict_proba(texts)).all()
    assert kept.predict(texts).tolist() == classifier.predict(texts).tolist()
    assert (kept.config, kept.feature_names) == (classifier.config, classifier.feature_names)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    LinearClassifier().fit(TEXTS, LABELS).save(tmp_path)
    file = tmp_path / FILE
    whole, tensors = file.read_bytes(), load_file(file)
    metadata = {"settings": json.dumps({"is_multi_label": False})}
    file.write_bytes(whole[:-10])
    with pytest.raises(ModelFileError, match="no safetensors file"):
        ft.load(tmp_path)
    save_file({**tensors, "idf": tensors["idf"][:-1].copy()}, file, metadata)
    with pytest.raises(ModelFileError, match="the tensors do not go together"):
        ft.load(tmp_path)
    save_file({**tensors, "feature_ends": tensors["feature_ends"][::-1].copy()}, file, metadata)
    with pytest.raises(ModelFileError, match="the ends of its features do not fit"):
        ft.load(tmp_path)
    save_file(tensors, file, {"settings": "{}"})
    with pytest.raises(ModelFileError, match="is damaged"):
        ft.load(tmp_path)
    del tensors["bias"]
    save_file(tensors, file, metadata)
    with pytest.raises(ModelFileError, match="no tensor 'bias' of 1 axes and type float32"):
        ft.load(tmp_path)
    file.unlink()
    with pytest.raises(ModelFileError, match="is missing; fetch or write it again"):
        ft.load(tmp_path)


@pytest.mark.parametrize(
    ("texts", "labels", "sentence"),
    [
        ([], [], "There is no text; give texts with their labels."),
        (["a", "b"], ["x"], "2 texts and 1 label do not go together; give one label, or"),
        (["a", "b"], ["x", "x"], "The texts have the one class 'x' alone; two are needed to learn"),
        (["?", "!"], ["x", "y"], "The texts have no feature"),
    ],
)
def test_what_cannot_be_learned_from(texts: list[str], labels: list[str], sentence: str) -> None:
    with pytest.raises(CorpusError) as caught:
        LinearClassifier().fit(texts, labels)
    assert str(caught.value).startswith(sentence)


def test_it_learns_again_from_texts_of_another_script() -> None:
    classifier = LinearClassifier().fit(TEXTS, LABELS)
    assert classifier.config.features == "words"
    assert classifier.fit(*KINDS["characters"]).config.features == "characters"
    with pytest.raises(SettingError, match="has learned nothing yet; call fit first, or load"):
        LinearClassifier().predict(["a good film"])


def test_a_single_text_gets_a_single_answer() -> None:
    classifier = LinearClassifier().fit(TEXTS, LABELS)
    assert classifier.predict("a good film") == classifier.predict(["a good film"])[0]
    assert classifier.predict_proba("a good film").shape == (2,)
    assert classifier.predict_top("a good film", None)[1][0] in LABELS


@pytest.mark.slow
@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("train", "test", "settings", "accuracy"),
    [
        ("r8/train.txt.xz", "r8/test.txt.xz", ({}, {}), 0.964),
        (
            "ag_news/train_subset.csv.xz",
            "ag_news/test.csv.xz",
            ({"label": 1, "text": 2}, {"label": 1, "text": (2, 3)}),
            0.896,
        ),
    ],
)
def test_it_reaches_the_figures_of_a_linear_model(
    shared_data: Path, train: str, test: str, settings: tuple[dict[str, Any], ...], accuracy: float
) -> None:
    learned, asked = (
        read_texts(shared_data / name, RowsConfig(**given))
        for name, given in zip((train, test), settings, strict=True)
    )
    classifier = LinearClassifier()
    classifier.fit([row.text for row in learned], [row.labels for row in learned])
    assert classifier.figures(asked)["accuracy"] >= accuracy


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("weights", np.float32("nan"), "do not go together"),
        ("labels", np.uint8(0xFF), "is damaged .*utf-8"),
        ("features", np.uint8(0x80), "is damaged .*utf-8"),
        ("label_ends", np.int64(-1), "the ends of its labels do not fit"),
        ("label_ends", np.int64(2**62), "the ends of its labels do not fit"),
    ],
)
def test_numbers_that_cannot_be(tmp_path: Path, name: str, value: Any, sentence: str) -> None:
    LinearClassifier().fit(TEXTS, LABELS).save(tmp_path)
    tensors, metadata = read_tensors(tmp_path / FILE, ModelFileError)
    changed = tensors[name].copy()
    changed.flat[0] = value
    write_tensors(tmp_path / FILE, tensors | {name: changed}, metadata)
    with pytest.raises(ModelFileError, match=sentence):
        ft.load(tmp_path)


def test_labels_that_stand_twice(tmp_path: Path) -> None:
    LinearClassifier().fit(["a", "b", "c"], ["x1", "x2", "x3"]).save(tmp_path)
    tensors, metadata = read_tensors(tmp_path / FILE, ModelFileError)
    write_tensors(
        tmp_path / FILE, tensors | {"labels": np.frombuffer(b"x1x1x3", np.uint8)}, metadata
    )
    with pytest.raises(ModelFileError, match="do not go together"):
        ft.load(tmp_path)


def test_settings_and_searches_of_scikit_learn() -> None:
    texts, labels = ["a ship", "a field", "the wave", "the barn"] * 6, ["sea", "land"] * 12
    arguments = inspect.signature(LinearClassifier).parameters
    assert {name: each.default for name, each in arguments.items()} == LinearConfig().model_dump()
    hints, fields = get_type_hints(LinearClassifier.__init__), get_type_hints(LinearConfig)
    assert {name: hints[name] for name in arguments} == {name: fields[name] for name in arguments}
    search = GridSearchCV(LinearClassifier(), {"inverse_penalty": [1.0, 9.0]}, cv=2)
    assert search.fit(texts, labels).best_score_ == 1.0
    assert clone(LinearClassifier(seed=3)).get_params()["seed"] == 3
    with pytest.raises(SettingError, match="inverse_penalty"):
        LinearClassifier().set_params(inverse_penalty=-1.0).fit(texts, labels)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"a": float("nan")}, r"\[linear\] class_weight = {'a': nan}: .* finite number"),
        ({"a": float("inf")}, r"\[linear\] class_weight = {'a': inf}: .* finite number"),
        ({"a": -1}, r"\[linear\] class_weight.* is -1\.0; give 0 or more"),
        ({None: 1}, "^class_weight names None, which is no label; give texts, whole numbers or"),
        ({1.5: 2}, "^class_weight names 1.5, which is no label; give texts, whole numbers or"),
        ({"c": 1, "d": 1}, "^class_weight names 'c', 'd', and no label of the rows"),
    ],
)
def test_weights_of_classes_that_cannot_be(weights: Any, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        LinearClassifier(class_weight=weights).fit(["x y", "z w"], ["a", "b"])


def test_rows_with_labels_of_others_are_doubted() -> None:
    model = LinearClassifier().fit(["a ship", "a judge"] * 5, ["sea", "court"] * 5)
    rows = [LabelledText("a ship", (label,), "") for label in ("1", "sea", "2")]
    assert model.row_doubts(rows[1:2]) == []
    (doubt,) = model.row_doubts(rows)
    assert doubt.startswith("2 of 3 rows have labels that the model does not know ('1', '2'; it")


def test_the_largest_weights_come_first() -> None:
    weights = np.array([[0.5, -1], [2, 0], [-1, 3]], np.float32)
    assert informative_features(["a", "b"], ["x", "y", "z"], weights) == {
        "a": ["y", "x"],
        "b": ["z"],
    }


def test_of_two_labels_a_weight_speaks_for_the_second() -> None:
    weights = np.array([[0.5], [-2], [0]], np.float32)
    assert informative_features(["a", "b"], ["x", "y", "z"], weights) == {"a": ["y"], "b": ["x"]}


def test_a_linear_classifier_names_its_own() -> None:
    texts = ["a fine film", "a bad film", "a fine play", "a bad play"]
    told = LinearClassifier().fit(texts, ["pos", "neg"] * 2).described()["informative_features"]
    assert (told["pos"][0], told["neg"][0]) == ("a fine", "a bad")


@pytest.mark.parametrize("num_labels", [3, 5])
def test_several_labels_show_their_progress_one_after_another(
    num_labels: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[float, float | None]] = []

    class Bar(Progress):
        def advance(self, amount: float, **figures: float) -> None:
            super().advance(amount, **figures)
            steps.append((self.done, self.total))

    monkeypatch.setattr(logistic_regression, "Progress", Bar)
    texts = [f"word{each % num_labels} and word{(each + 1) % num_labels}" for each in range(30)]
    labels = [(str(each % num_labels), str((each + 1) % num_labels)) for each in range(30)]
    silent = LinearClassifier().fit(texts, labels)
    steps.clear()
    shown = LinearClassifier().fit(texts, labels, context=RunContext(tmp_path))
    assert steps == [(each + 1, num_labels) for each in range(num_labels)]
    assert (shown.weights == silent.weights).all()
