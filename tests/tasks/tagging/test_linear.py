"""Tags by a linear chain: what is learned, kept, shown and refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError, SettingError
from foretext.base.parsing import write_tensors
from foretext.base.parsing.tensor_file import read_tensors
from foretext.data.rows import TaggedConfig, read_tagged
from foretext.messages import in_language
from foretext.shown import Grid, Table
from foretext.tasks.tagging.linear import LinearTagger
from foretext.tasks.tagging.linear_storage import FILE
from foretext.vectors.word_vectors import WordVectors
from tests.shown_runs import check_shown

SENTENCES = [
    ["Ada", "Smith", "met", "Bob"],
    ["we", "met", "in", "Rome"],
    ["Bob", "lives", "in", "Oslo", "now"],
    ["they", "live", "here"],
]
TAGS = [
    ["B-PER", "I-PER", "O", "B-PER"],
    ["O", "O", "O", "B-LOC"],
    ["B-PER", "O", "O", "B-LOC", "O"],
    ["O", "O", "O"],
]
ASKED = [["Bob", "met", "Ada"], ["we", "live", "in", "Rome"], []]
WORDS = ["ada", "bob", "rome", "oslo", "paris", "in"]
NEAR = np.array([[1, 0.1], [1, 0], [0, 1], [0.1, 1], [0, 0.9], [-1, -1]], np.float32)


def vectors() -> WordVectors:
    return WordVectors(WORDS, NEAR)


def learned(**settings: Any) -> LinearTagger:
    return LinearTagger(**settings).fit(SENTENCES, TAGS)


def test_tags_and_entities_are_learned() -> None:
    model = learned()
    assert model.predict(SENTENCES) == TAGS
    assert model.score(SENTENCES, TAGS) == 1.0
    assert model.classes_.tolist() == ["B-LOC", "B-PER", "I-LOC", "I-PER", "O"]
    (spans,) = model.spans(["Ada Smith met Bob."])
    assert [(span.label, span.text, span.start) for span in spans] == [
        ("PER", "Ada Smith", 0),
        ("PER", "Bob", 14),
    ]
    for own, sentence in zip(model.predict_proba(ASKED), ASKED, strict=True):
        assert own.shape == (len(sentence), 5)
        np.testing.assert_allclose(own.sum(1), 1)


def test_no_answer_violates_the_scheme() -> None:
    model = LinearTagger().fit([["a", "b"]] * 3, [["B-X", "I-X"], ["O", "O"], ["O", "B-X"]])
    (first, *_) = model.predict_proba([["b", "b"]])
    inside = model.label_names.index("I-X")
    assert first[0, inside] == 0.0
    assert first[1, inside] > 0.0


def test_vectors_know_names_that_no_row_has() -> None:
    sentence = ["we", "met", "in", "paris"]
    small = [[token.lower() for token in own] for own in SENTENCES]
    alone, beside = (LinearTagger(given).fit(small, TAGS) for given in (None, vectors()))
    location = alone.label_names.index("B-LOC")
    one, other = (model.predict_proba([sentence])[0][3, location] for model in (alone, beside))
    assert other > one
    assert beside.num_parameters == alone.num_parameters + 3 * 2 * 5
    assert beside.own_embedder is not None
    assert alone.own_embedder is None


def test_tags_of_no_entities_are_learned_as_they_are() -> None:
    model = LinearTagger().fit([["the", "dog", "barks"]] * 2, [["D", "N", "V"]] * 2)
    assert model.predict([["the", "dog"]]) == [["D", "N"]]
    assert model.judged_by == "accuracy"
    assert not model.finds_entities
    assert next(model.predictions(["the dog"]))["tags"] == [["the", "D"], ["dog", "N"]]


def test_characters_are_tokens_where_rows_have_them_so() -> None:
    model = LinearTagger().fit(
        [list("他在北京工作"), list("我在上海")],
        [["O", "O", "B-L", "I-L", "O", "O"], ["O", "O", "B-L", "I-L"]],
    )
    assert model.by_character
    assert [span.text for span in model.spans("她在北京")] == ["北京"]


@pytest.mark.parametrize("form", ["alone", "opened", "file", "run"])
def test_a_folder_keeps_the_same_answers(form: str, tmp_path: Path) -> None:
    given: Any = None
    if form == "opened":
        given = vectors()
    elif form == "file":
        given = tmp_path / "vectors.txt"
        vectors().save(given)
    elif form == "run":
        given = tmp_path / "run"
        texts = [" ".join(tokens) for tokens in SENTENCES * 9]
        ft.FastText(vector_size=4, epochs=1, min_count=1, bucket=50).fit(texts, out=given)
    model = LinearTagger(given, inverse_penalty=2.0).fit(SENTENCES, TAGS)
    model.save(tmp_path / "kept")
    if form in ("file", "run"):
        given.rename(tmp_path / "gone")
    kept = ft.load(tmp_path / "kept", ft.LinearTagger)
    for one, other in zip(kept.predict_proba(ASKED), model.predict_proba(ASKED), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    assert kept.predict(ASKED) == model.predict(ASKED)
    assert (kept.learned, kept.feature_names) == (model.learned, model.feature_names)
    assert kept.get_params()["inverse_penalty"] == 2.0
    assert json.loads((tmp_path / "kept" / "config.json").read_text())["task"] == "tagging"
    kept.save(tmp_path / "again")
    assert ft.load(tmp_path / "again", ft.LinearTagger).predict(ASKED) == model.predict(ASKED)


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
        ({"scheme": "os.system"}, "scheme"),
        ({"config": {"inverse_penalty": -1.0}}, "inverse_penalty"),
        ({"learned": {"tagged": 2, "unknown": 0, "capital": 0}}, "tagged"),
        ({"weights": np.zeros((3, 5), np.float32)}, "do not go together"),
        ({"steps": np.full((5, 5), np.nan, np.float32)}, "do not go together"),
        ({"tag_ends": np.array([9, 2])}, "is damaged"),
        ({"vectors": None}, "do not go together"),
        ({"vectors": {"name": "v", "base": "../elsewhere"}}, "base"),
        ({"vectors": {"name": "v", "base": "folder"}}, "bases"),
    ],
)
def test_a_damaged_folder_is_refused(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    learned(vectors=vectors()).save(tmp_path / "kept")
    damaged(tmp_path / "kept", **changes)
    with pytest.raises(ft.ForetextError, match=sentence):
        ft.load(tmp_path / "kept")


def test_another_model_in_place_of_the_vectors_is_refused(tmp_path: Path) -> None:
    learned(vectors=vectors()).save(tmp_path / "kept")
    damaged(tmp_path / "kept", vectors={"name": "v", "base": "folder"})
    texts = ["a ship at sea", "a field of corn"]
    base = tmp_path / "kept" / "bases" / "1"
    ft.EmbeddingClassifier(vectors()).fit(texts, ["sea", "land"]).save(tmp_path / "other")
    (base / "vectors.safetensors").unlink()
    (tmp_path / "other").rename(base / "other")
    for file in (base / "other").iterdir():
        file.rename(base / file.name)
    with pytest.raises(ft.ForetextError, match="vectors"):
        ft.load(tmp_path / "kept")


def test_what_decides_is_shown() -> None:
    (shown,) = check_shown(learned(vectors=vectors()), ["we met Bob"])
    with in_language("en"):
        (shown,) = learned().show(["we met Bob"])
    tables = [part for part in shown.parts if isinstance(part, Table)]
    words, features = tables[0], tables[-1]
    assert [row[:2] for row in words.rows] == [("we", "O"), ("met", "O"), ("Bob", "B-PER")]
    assert features.title.startswith("The features that speak")
    assert "W=Bob +" in str(features.rows[2][2])
    grids = [part for part in shown.parts if isinstance(part, Grid)]
    assert len(grids) == 3
    emissions = grids[0].values
    assert emissions[0][grids[0].columns.index("I-PER")] is None  # no sentence begins so


def test_unlike_texts_are_doubted() -> None:
    model = learned(vectors=vectors())
    model._learned = model.parts._replace(learned=model.parts.learned._replace(unknown=0.1))
    texts = ["nobody knows any of these many words at all"] * 5
    (doubt,) = model.doubts([{"text": text, "spans": []} for text in texts])
    assert "100% of the tokens are unknown" in doubt
    assert LinearTagger().doubts([]) == []


def test_errors_say_what_is_missing() -> None:
    with pytest.raises(CorpusError, match="There is no sentence"):
        LinearTagger().fit([], [])
    with pytest.raises(CorpusError, match="All tokens to learn from have the tag 'O'"):
        LinearTagger().fit([["a"]], [["O"]])
    with pytest.raises(CorpusError, match="sentence 1: give a list of tokens and a list of as man"):
        LinearTagger().fit([["a", "b"]], [["O"]])
    with pytest.raises(SettingError, match="has learned nothing yet"):
        LinearTagger().predict(SENTENCES)
    with pytest.raises(SettingError, match="no such setting"):
        LinearTagger().set_params(folds=3)
    with pytest.raises(SettingError, match="vector_length has no effect without word vectors"):
        learned(vector_length=2.0)
    with pytest.raises(SettingError, match="inverse_penalty"):
        learned(inverse_penalty=0)


def test_it_is_an_estimator_of_scikit_learn() -> None:
    model = learned(vectors=vectors(), inverse_penalty=5.0)
    again = clone(model)
    assert again.get_params()["inverse_penalty"] == 5.0
    assert again.fit(SENTENCES, TAGS).predict(ASKED) == model.predict(ASKED)
    assert repr(LinearTagger(min_count=2)) == "LinearTagger(min_count=2)"


def test_it_needs_no_pytorch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import foretext as ft\n"
        "model = ft.LinearTagger().fit([['a', 'b']], [['B-X', 'O']])\n"
        "assert model.predict([['a']]) == [['B-X']]; model.show(['a b'])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.slow
@pytest.mark.shared_data
def test_few_sentences_of_news(shared_data: Path) -> None:
    folder = shared_data / "conll2003"
    rows = read_tagged(folder / "eng.train.xz", TaggedConfig())[:1000]
    test = read_tagged(folder / "eng.testb", TaggedConfig())[:1000]
    model = LinearTagger().fit_rows(rows)
    assert model.figures(test)["f1"] > 0.65  # the most frequent tag of each word: below 0.5
