"""Pairs by what both texts share: overlaps worked by hand, what is learned, kept and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError, SettingError
from foretext.base.parsing import write_tensors
from foretext.base.parsing.tensor_file import read_tensors
from foretext.data.overlap_features import overlap_features
from foretext.data.rows import LabelledPair, PairsConfig, read_pairs
from foretext.data.rows.pairs import pairs_of
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.matching.linear_storage import FILE
from tests.networks import ANIMALS, SOUNDS, TIMES

ALIKE = [("the dog barks at noon", "at noon the dog barks"), ("a cat purrs", "the cat purrs")] * 4
UNLIKE = [("the dog barks at noon", "hens cluck loudly"), ("a cat purrs", "two cows moo")] * 4
PAIRS = ALIKE + UNLIKE
WORDS = [*ANIMALS, *SOUNDS, *TIMES, "the", "a", "in", "5", "12"]
VALUES: dict[str, list[Any]] = {
    "texts": ["yes", "no"],
    "whole numbers": [10, 9],
    "booleans": [True, False],
    "decomposed": ["Cafe\u0301", "Tisch"],
}


def drawn_pairs(number: int, seed: int = 0) -> list[tuple[str, str]]:
    """Pairs of texts with some of the same words."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(2, 9))) for _ in range(2 * number)]
    return [*zip(texts[::2], texts[1::2], strict=True)]


def drawn_answers(pairs: list[tuple[str, str]], num_labels: int) -> list[int]:
    """By how many words a pair shares, and some by chance."""
    rng = np.random.default_rng(1)
    shared = [len({*first.split()} & {*second.split()}) for first, second in pairs]
    return [(each + int(rng.random() < 0.3)) % num_labels for each in shared]


def test_overlaps_worked_by_hand() -> None:
    features = overlap_features(["a", "b", "c", "4"], ["b", "c", "d", "4", "5"])
    words, pairs, triples = (features[place : place + 2] for place in (0, 2, 4))
    assert words == [3 / 4, 3 / 5]
    assert pairs == [1 / 3, 1 / 4]  # b c
    assert triples == [0.0, 0.0]
    assert features[-4:] == [1 / 5, pytest.approx(np.log(2)), 1.0, 1 / 2]


def test_the_order_of_two_texts_does_not_count() -> None:
    first, second = ["the", "dog", "barks"], ["a", "dog", "barks", "at", "5"]
    assert overlap_features(first, second) == overlap_features(second, first)


def test_empty_texts_have_features() -> None:
    assert overlap_features([], [])[:2] == [1.0, 1.0]
    assert overlap_features([], ["a"])[:2] == [0.0, 0.0]


def test_labels_are_learned() -> None:
    labels = ["yes"] * len(ALIKE) + ["no"] * len(UNLIKE)
    model = LinearMatcher().fit(PAIRS, labels)
    assert model.classes_.tolist() == ["no", "yes"]
    unseen = [("the owl hoots tonight", "tonight the owl hoots"), ("pigs grunt", "an owl hoots")]
    assert model.predict(unseen).tolist() == ["yes", "no"]
    assert model.predict(unseen[0]) == "yes"
    probabilities = model.predict_proba(unseen)
    np.testing.assert_allclose(probabilities.sum(1), 1)
    assert probabilities.argmax(1).tolist() == [1, 0]
    assert model.score(PAIRS, labels) == 1.0


def test_scores_are_learned() -> None:
    scores = [5.0] * len(ALIKE) + [1] * len(UNLIKE)  # one float is enough
    model = LinearMatcher().fit(PAIRS, scores)
    high, low = model.predict([ALIKE[0], UNLIKE[0]])
    assert model.label_names == ()
    assert high > 4 > 2 > low
    assert model.score(PAIRS, scores) > 0.8
    with pytest.raises(SettingError, match="scores, which have no probabilities"):
        model.predict_proba(PAIRS)
    assert model.relevance([ALIKE[0]]) == pytest.approx([high])


@pytest.mark.parametrize("num_labels", [2, 3])
@pytest.mark.parametrize("inverse_penalty", [0.05, 1.0, 30.0])
def test_labels_are_learned_as_scikit_learn_does(num_labels: int, inverse_penalty: float) -> None:
    pairs, asked = drawn_pairs(60), drawn_pairs(9, 5)
    answers = drawn_answers(pairs, num_labels)
    model = LinearMatcher(inverse_penalty=inverse_penalty).fit(pairs, answers)
    regression = LogisticRegression(C=inverse_penalty, tol=1e-10, max_iter=10_000)
    theirs = make_pipeline(StandardScaler(), regression).fit(model.overlap.matrix(pairs), answers)
    expected = theirs.predict_proba(model.overlap.matrix(asked))
    np.testing.assert_allclose(model.predict_proba(asked), expected, atol=1e-4)


@pytest.mark.parametrize("inverse_penalty", [0.05, 1.0, 30.0])
def test_scores_are_learned_as_scikit_learn_does(inverse_penalty: float) -> None:
    pairs, asked = drawn_pairs(40), drawn_pairs(9, 5)
    scores = np.array(drawn_answers(pairs, 5)) / 2
    model = LinearMatcher(inverse_penalty=inverse_penalty).fit(pairs, scores)
    theirs = make_pipeline(StandardScaler(), Ridge(alpha=1 / inverse_penalty))
    theirs.fit(model.overlap.matrix(pairs), scores)
    expected = theirs.predict(model.overlap.matrix(asked))
    np.testing.assert_allclose(model.predict(asked), expected, atol=1e-9)


@pytest.mark.parametrize("kind", VALUES)
def test_labels_come_back_as_they_came(kind: str, tmp_path: Path) -> None:
    values = [VALUES[kind][0]] * len(ALIKE) + [VALUES[kind][1]] * len(UNLIKE)
    model = LinearMatcher().fit(PAIRS, np.array(values))
    model.save(tmp_path / "kept")
    for each in (model, ft.load(tmp_path / "kept", ft.LinearMatcher)):
        assert each.classes_.tolist() == sorted(set(values))
        assert {type(value) for value in each.classes_.tolist()} == {type(values[0])}
        assert each.score(PAIRS, values) == 1.0
        [(label, _)] = each.predict_top(ALIKE[0])
        assert (label, type(label)) == (each.predict(ALIKE[0]), type(values[0]))


@pytest.mark.parametrize("scored", [False, True])
def test_a_folder_keeps_the_same_answers(scored: bool, tmp_path: Path) -> None:
    pairs = drawn_pairs(30)
    answers: list[Any] = drawn_answers(pairs, 3)
    if scored:
        answers = [each / 2 for each in answers]
    model = LinearMatcher(inverse_penalty=3.0).fit(pairs, answers)
    model.save(tmp_path / "kept")
    kept = ft.load(tmp_path / "kept", ft.LinearMatcher)
    np.testing.assert_array_equal(kept.pair_values(pairs), model.pair_values(pairs))
    assert kept.get_params() == model.get_params() == {"inverse_penalty": 3.0}
    assert kept.overlap.kind == model.overlap.kind
    lines = ["the dog barks\ta dog"]
    assert [*kept.predictions(lines)] == [*model.predictions(lines)]
    assert json.loads((tmp_path / "kept" / "config.json").read_text())["task"] == "matching"


def damaged(folder: Path, **changes: Any) -> None:
    """Change settings, or tensors, of a kept model."""
    tensors, metadata = read_tensors(folder / FILE, ModelFileError)
    settings = json.loads(metadata["settings"])
    for name, value in changes.items():
        if isinstance(value, np.ndarray):
            tensors[name] = value
        else:
            settings[name] = value
    write_tensors(folder / FILE, tensors, {**metadata, "settings": json.dumps(settings)})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"words": "os.system"}, "words"),
        ({"edition": 9}, "edition"),
        ({"config": {"inverse_penalty": -1.0}}, "inverse_penalty"),
        ({"label_values": [1, 2, 3]}, "do not fit their names"),
        ({"has_scores": True, "weights": np.zeros((5, 1))}, "do not go together"),
        ({"weights": np.full((16, 1), np.nan)}, "do not go together"),
        ({"bias": np.zeros(2)}, "do not go together"),
        ({"label_ends": np.array([9, 2])}, "is damaged"),
    ],
)
def test_a_damaged_folder_is_refused(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    LinearMatcher().fit(PAIRS, [True] * 8 + [False] * 8).save(tmp_path / "kept")
    damaged(tmp_path / "kept", **changes)
    with pytest.raises(ModelFileError, match=sentence):
        ft.load(tmp_path / "kept")


def test_both_unicode_forms_are_one_text() -> None:
    wide = ("ｃａｔ １２", "cat 12")
    model = LinearMatcher().fit(PAIRS, [True] * 8 + [False] * 8)
    assert model.predict(("Cafe\u0301 now", "caf\u00e9 now")) is True
    assert model.predict(wide) is False
    assert model.composing("NFKC").predict(wide) is True


def test_texts_without_blanks_have_words_too() -> None:
    pairs = [("我喜欢猫", "我很喜欢猫"), ("今天下雨", "他在北京")] * 3
    model = LinearMatcher().fit(pairs, ["1", "0"] * 3)
    assert model.predict(pairs[:2]).tolist() == ["1", "0"]


def test_nothing_asked_nothing_answered() -> None:
    model = LinearMatcher().fit(PAIRS, ["1"] * len(ALIKE) + ["0"] * len(UNLIKE))
    assert model.predict([]).tolist() == []
    assert model.predict_proba([]).shape == (0, 2)
    assert LinearMatcher().fit(PAIRS, [float(i) for i in range(16)]).predict([]).tolist() == []


def test_errors_say_what_is_missing() -> None:
    with pytest.raises(CorpusError, match="no pair to learn from"):
        LinearMatcher().fit([], [])
    with pytest.raises(CorpusError, match="one label alone, 'yes'"):
        LinearMatcher().fit(ALIKE, ["yes"] * len(ALIKE))
    with pytest.raises(CorpusError, match=r"one score alone, 0\.5"):
        LinearMatcher().fit(ALIKE, [0.5] * len(ALIKE))
    with pytest.raises(CorpusError, match="score of pair 2 is None, not a finite number"):
        LinearMatcher().fit(ALIKE[:2], [0.5, float("nan")])
    with pytest.raises(CorpusError, match="8 pairs and 1 answer do not go together"):
        LinearMatcher().fit(ALIKE, ["yes"])
    with pytest.raises(CorpusError, match="Pair 2 has 2 labels"):
        LinearMatcher().fit(ALIKE[:2], ["yes", ["yes", "no"]])
    with pytest.raises(SettingError, match="has learned nothing yet"):
        LinearMatcher().predict(ALIKE)
    with pytest.raises(SettingError, match="no such setting"):
        LinearMatcher().set_params(folds=3)


@pytest.mark.parametrize(
    "wrong", ["b", float("nan"), float("-inf"), None, 10**400, -(10**5000), True, [0.5]], ids=type
)
def test_a_score_that_is_no_number_is_named(wrong: object) -> None:
    model = LinearMatcher().fit(PAIRS, [float(number) for number in range(len(PAIRS))])
    sentence = (
        r"The score of pair 2 is .*, not a finite number; correct it, or leave the pair out\.$"
    )
    with pytest.raises(CorpusError, match=sentence):
        model.score(PAIRS[:3], [0.5, wrong, 1.5])
    if type(wrong) in (int, float):
        with pytest.raises(CorpusError, match=sentence):
            LinearMatcher().fit(PAIRS[:3], [0.5, wrong, 1.5])
    assert model.score(PAIRS[:3], [1, 2, 3.0]) == model.score(PAIRS[:3], np.array([1, 2, 3]))


def test_it_is_an_estimator_of_scikit_learn() -> None:
    labels = [1] * len(ALIKE) + [0] * len(UNLIKE)
    model = LinearMatcher(inverse_penalty=2.0)
    assert clone(model).get_params() == {"inverse_penalty": 2.0}
    assert cross_val_score(model, PAIRS, labels, cv=2).tolist() == [1.0, 1.0]


def test_words_that_both_texts_have_explain_an_answer() -> None:
    model = LinearMatcher().fit(PAIRS, [True] * len(ALIKE) + [False] * len(UNLIKE))
    found = model.explain(("a dog barks", "a dog purrs"), "True")
    weights = {(word.field, word.text): word.weight for word in found.words}
    assert found.method == "occlusion"
    assert max(weights, key=lambda word: weights[word])[1] in ("a", "dog")


@pytest.mark.slow
@pytest.mark.shared_data
def test_it_beats_the_most_frequent_label_on_paraphrases(shared_data: Path) -> None:
    settings = PairsConfig(text_a="#1 String", text_b="#2 String", label="Quality")
    folder = shared_data / "mrpc"
    train = read_pairs(folder / "msr_paraphrase_train.txt.xz", settings)
    test = read_pairs(folder / "msr_paraphrase_test.txt", settings)
    model = LinearMatcher().fit(*_apart(train))
    assert model.score(*_apart(test)) > 0.75  # the most frequent label: 0.665


def _apart(rows: list[LabelledPair]) -> tuple[list[tuple[str, str]], list[str]]:
    return pairs_of(rows), [str(row.label) for row in rows]
