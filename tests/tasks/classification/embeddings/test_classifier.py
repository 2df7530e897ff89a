from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import foretext as ft
from foretext.base.errors import ForetextError, GivenError, ModelFileError, SettingError
from foretext.base.parsing import read_tensors, write_tensors
from tests.networks import sentences, tokenizer_for
from tests.task_files import language_model, word_vectors

WORDS = ["ship", "sea", "wave", "farm", "field", "cow", "a", "the"]
TEXTS = [
    "a ship at sea",
    "the wave",
    "a cow",
    "the farm and the field",
    "sea wave",
    "field cow",
] * 4
LABELS = ["sea", "sea", "land", "land", "sea", "land"] * 4


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of word vectors whose first number says what a word is about."""
    path = tmp_path_factory.mktemp("vectors") / "v.safetensors"
    matrix = np.random.default_rng(0).standard_normal((8, 6)).astype(np.float32)
    matrix[:3, 0], matrix[3:6, 0] = 4.0, -4.0
    ft.WordVectors(WORDS, matrix, np.arange(20, 12, -1)).save(path)
    return path


def test_words_that_no_label_has_seen_are_answered_by_their_vectors(vectors: Path) -> None:
    rows = ["a ship", "the sea", "a cow", "the farm"] * 3
    model = ft.EmbeddingClassifier(vectors).fit(rows, ["sea", "sea", "land", "land"] * 3)
    assert model.predict(["wave", "field"]).tolist() == ["sea", "land"]
    assert [head.name for head in model.heads] == [str(vectors), "words"]
    assert sum(head.weight for head in model.heads) == pytest.approx(1)
    assert model.predict_proba(["wave"]).sum() == pytest.approx(1)


@pytest.mark.parametrize("labels", [LABELS, [int(each == "sea") for each in LABELS]])
def test_what_is_saved_answers_alike_to_the_bit(
    vectors: Path, labels: list[Any], tmp_path: Path
) -> None:
    copy = tmp_path / "v.safetensors"
    copy.write_bytes(vectors.read_bytes())
    model = ft.EmbeddingClassifier([copy]).fit(TEXTS, labels)
    model.save(tmp_path / "model")
    copy.unlink()
    opened = ft.load(tmp_path / "model", ft.EmbeddingClassifier)
    assert np.array_equal(opened.predict_proba(TEXTS), model.predict_proba(TEXTS))
    assert opened.predict(TEXTS[:3]).tolist() == model.predict(TEXTS[:3]).tolist() == labels[:3]
    assert (opened.accuracy, opened.log_loss) == (model.accuracy, model.log_loss)
    opened.save(tmp_path / "again")
    assert (tmp_path / "again" / "embeddings.safetensors").read_bytes() == (
        tmp_path / "model" / "embeddings.safetensors"
    ).read_bytes()


def opened_models(folder: Path) -> dict[str, Any]:
    """One of each kind, opened in Python, with no file of its own."""
    (folder / "text.txt").write_text("\n".join(TEXTS * 3), encoding="utf-8")
    text, few = folder / "text.txt", {"min_count": 1, "epochs": 1, "workers": 1}
    lda = ft.pretrain(
        "lda", text, quiet=True,
        settings={
            "topics": {"num_topics": 3, "epochs": 2, "most_documents": 1.0},
            "tokenizer": {"min_count": 1},
        },
    )  # fmt: skip
    (folder / "animals.txt").write_text(sentences(120), encoding="utf-8")
    return {
        "doc2vec": ft.Doc2Vec(vector_size=8, **few).fit(text, quiet=True).documents_,
        "word2vec": ft.Word2Vec(vector_size=8, **few).fit(text, quiet=True).vectors_,
        "without a tokenizer": word_vectors(),
        "topics": lda,
        "bert": language_model("bert", tokenizer_for("wordpiece", folder / "animals.txt")),
    }


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return opened_models(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("kind", ["doc2vec", "word2vec", "without a tokenizer", "topics", "bert"])
def test_an_opened_model_is_kept_whole(models: dict[str, Any], kind: str, tmp_path: Path) -> None:
    model = ft.EmbeddingClassifier([models[kind]], words=False).fit(TEXTS, LABELS)
    model.save(tmp_path / "m")
    opened = ft.load(tmp_path / "m", ft.EmbeddingClassifier)
    assert np.allclose(opened.predict_proba(TEXTS), model.predict_proba(TEXTS), atol=1e-6)


def test_a_function_that_cuts_texts_is_in_no_file(tmp_path: Path) -> None:
    vectors = ft.WordVectors(WORDS, np.eye(8, dtype=np.float32), split=str.split)
    model = ft.EmbeddingClassifier(vectors).fit(TEXTS, LABELS)
    with pytest.raises(SettingError, match="a function of yours"):
        model.save(tmp_path / "m")


def test_any_number_of_labels(vectors: Path, tmp_path: Path) -> None:
    sets = [["sea"], ["sea", "old"], ["land"], [], ["sea", "old"], ["land"]] * 4
    model = ft.EmbeddingClassifier(vectors).fit(TEXTS, sets)
    assert model.is_multi_label
    assert model.predict(["the wave", "a cow"]).tolist() == [("old", "sea"), ("land",)]
    model.save(tmp_path / "m")
    opened = ft.EmbeddingClassifier.load(tmp_path / "m")
    assert np.array_equal(opened.predict_proba(TEXTS), model.predict_proba(TEXTS))


@pytest.mark.parametrize("counts", [(9, 3, 1), (1, 1, 1), (2, 1, 1)])
def test_uneven_classes(vectors: Path, counts: tuple[int, ...]) -> None:
    pairs = [("a ship at sea", "sea"), ("the farm", "land"), ("wave and field", "both")]
    rows = [pair for pair, count in zip(pairs, counts, strict=True) for _ in range(count)]
    texts, labels = zip(*rows, strict=True)
    model = ft.EmbeddingClassifier(vectors).fit(list(texts), list(labels))
    assert np.isfinite(model.predict_proba(["a ship"])).all()
    if max(counts) == 1:
        assert model.accuracy is model.heads[0].log_loss is None
        assert [head.weight for head in model.heads] == [0.5, 0.5]
    else:
        assert model.accuracy is not None


def test_texts_without_labels_say_how_rare_words_are(vectors: Path) -> None:
    alone = ft.EmbeddingClassifier(vectors).fit(TEXTS, LABELS)
    more = ft.EmbeddingClassifier(vectors).fit(TEXTS, LABELS, unlabelled=["a harbour"] * 50)
    assert "harbour" in more.views[1].names
    assert "harbour" not in alone.views[1].names
    assert not np.allclose(alone.views[0].direction, more.views[0].direction)


@pytest.mark.parametrize(
    ("bases", "settings", "sentence"),
    [
        ((), {"layer": 1}, "layer has no effect: it is of language models"),
        ((), {"weighting": "sif"}, "weighting has no effect: it is of word vectors"),
        ((), {"words": False}, "There is nothing to learn on"),
        (("no/such/run",), {}, "no/such/run"),
    ],
)
def test_what_has_no_effect_is_refused(bases: Any, settings: Any, sentence: str) -> None:
    with pytest.raises(ForetextError, match=sentence):
        ft.EmbeddingClassifier(bases, **settings).fit(TEXTS, LABELS)


def test_a_class_alone_is_refused() -> None:
    with pytest.raises(GivenError, match="the one class 'sea' alone"):
        ft.EmbeddingClassifier().fit(["a", "b"], ["sea", "sea"])
    with pytest.raises(SettingError, match="learned nothing"):
        ft.EmbeddingClassifier().predict(["a"])


def _damaged(path: Path, **changes: Any) -> None:
    tensors, metadata = read_tensors(path, ModelFileError)
    settings = json.loads(metadata["settings"])
    for name, value in changes.items():
        if name in tensors:
            tensors[name] = value
        else:
            settings[name] = value(settings[name]) if callable(value) else value
    write_tensors(path, tensors, {**metadata, "settings": json.dumps(settings)})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"weights_1": np.zeros((3, 1), np.float32)}, "the tensors do not go together"),
        ({"bias_2": np.array([np.nan], np.float32)}, "the tensors do not go together"),
        ({"direction_1": np.zeros(3, np.float32)}, "the tensors do not go together"),
        ({"idf": np.zeros(3, np.float32)}, "features and idf do not go together"),
        ({"views": lambda views: views[:1]}, "a head reads a view that is not there"),
        ({"heads": lambda heads: [{**heads[0], "views": [7]}]}, "a head reads a view"),
        ({"heads": lambda heads: [{**heads[0], "learned_by": "EM 0.3"}, heads[1]]}, "go together"),
        ({"views": lambda views: [{**views[0], "weighting": None}, views[1]]}, "another one than"),
        ({"views": lambda views: [{**views[0], "layer": 2}, views[1]]}, "another one than"),
        ({"views": []}, "views"),
        ({"views": lambda views: [views[0], views[0]]}, "weights_2|go together|such file"),
        ({"config": {"folds": 1}}, "is damaged"),
    ],
)
def test_a_damaged_file_is_refused(
    vectors: Path, changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    ft.EmbeddingClassifier(vectors).fit(TEXTS, LABELS).save(tmp_path / "m")
    _damaged(tmp_path / "m" / "embeddings.safetensors", **changes)
    with pytest.raises(ForetextError, match=sentence):
        ft.EmbeddingClassifier.load(tmp_path / "m")


def test_a_base_that_is_gone_from_the_folder_is_named(vectors: Path, tmp_path: Path) -> None:
    ft.EmbeddingClassifier(vectors).fit(TEXTS, LABELS).save(tmp_path / "m")
    (tmp_path / "m" / "bases" / "1" / "vectors.safetensors").unlink()
    with pytest.raises(ForetextError, match=r"bases/1/vectors\.safetensors: there is no such file"):
        ft.load(tmp_path / "m")


def test_names_of_a_file_steer_no_terminal(vectors: Path, tmp_path: Path) -> None:
    ft.EmbeddingClassifier(vectors).fit(TEXTS, LABELS).save(tmp_path / "m")
    evil = "\x1b[31mred"
    path = tmp_path / "m" / "embeddings.safetensors"
    _damaged(path, views=lambda views: [{**views[0], "name": evil}, views[1]])
    opened = ft.EmbeddingClassifier.load(tmp_path / "m")
    assert "\x1b" not in repr(opened)
    assert opened.heads[0].name == "\\u001b[31mred"


@pytest.mark.parametrize(
    "name",
    ["views", "heads", "log_loss", "accuracy", "is_multi_label", "label_names", "own_embedder"],
)
def test_what_is_learned_is_there_after_fit(name: str) -> None:
    with pytest.raises(NotFittedError, match="call fit first, or load"):
        getattr(ft.EmbeddingClassifier(), name)
    if name in ("is_multi_label", "label_names"):
        with pytest.raises(NotFittedError, match="call fit first, or load"):
            getattr(ft.LinearClassifier(), name)
