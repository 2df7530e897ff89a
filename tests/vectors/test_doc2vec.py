"""doc2vec: what it learns, how it infers, and how it goes on after an interruption."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import foretext as ft
from foretext.base.errors import Interrupted, SettingError, VectorFileError
from foretext.pretraining.document_vectors import DocumentVectorLearner
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.search.index import index
from foretext.vectors.doc2vec import Doc2VecConfig
from foretext.vectors.document_vectors import FILE
from foretext.vectors.hogwild import Hogwild
from tests.vectors.texts import TOPICS, topic_of, write_topics

SMALL: dict[str, Any] = {
    "vector_size": 16, "min_count": 1, "workers": 1, "sample": 0.0, "epochs": 30, "alpha": 0.05
}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {
    "dbow": {},
    "dbow, hierarchical": {"loss": "hs"},
    "dbow with words": {"dbow_words": True},
    "dbow with words, exact": {"dbow_words": True, "exact": True},
    "dm": {"model": "dm"},
    "dm, sum": {"model": "dm", "context": "sum", "alpha": 0.025},
    "dm, concatenated": {"model": "dm", "context": "concat", "window": 1, "epochs": 150},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("doc2vec") / "topics.txt", documents=300)


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "run"
    ft.Doc2Vec(**SMALL, model="dm").fit(corpus, out=folder)
    return folder


def topic_of_document(line: str) -> str:
    return next(found for word in line.split() if (found := topic_of(word)) is not None)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("kind", KINDS)
def test_nearest_documents_and_texts_are_of_the_same_topic(kind: str, corpus: Path) -> None:
    lines = corpus.read_text().splitlines()
    estimator = ft.Doc2Vec(**{**SMALL, **KINDS[kind]})
    documents = estimator.fit(corpus).documents_
    assert len(documents) == len(lines)
    topics = [topic_of_document(line) for line in lines]
    found = documents.neighbors(documents.names[:60], 5)
    right = [topics[int(name)] == topics[at] for at, near in enumerate(found) for name, _ in near]
    assert np.mean(right) > 0.9
    for topic, words in TOPICS.items():
        near = documents.most_similar(" ".join(words), topn=5)
        assert {topics[int(name)] for name, _ in near} == {topic}
    losses = [record["valid_loss"] for record in estimator.history]
    assert min(losses) < losses[0]


def test_inference_depends_on_the_text_and_the_seed_alone(run: Path) -> None:
    documents = ft.load(run, ft.DocumentVectors)
    texts = ["ship harbour wave", "the judge and the jury", "", "nothing of this is known"]
    vectors = documents.embed(texts)
    np.testing.assert_array_equal(vectors, documents.embed(texts))
    np.testing.assert_array_equal(vectors[1:2], documents.embed(texts[1:2]))
    assert not np.array_equal(vectors[0], documents.embed(texts[:1], seed=2)[0])
    assert not np.array_equal(vectors[0], documents.embed(texts[:1], epochs=2)[0])
    assert not vectors[2].any()
    assert documents.embed([]).shape == (0, 16)
    with pytest.raises(SettingError, match="epochs = 0: give a whole number from 1"):
        documents.embed(texts, epochs=0)
    assert documents.embed("ship").tolist() == documents.embed(["ship"])[0].tolist()


def test_texts_are_compared_by_what_is_inferred(run: Path) -> None:
    documents = ft.DocumentVectors.load(run)
    firsts, seconds = documents.embed(["a ship", "the judge"]), documents.embed(["a harbour"])
    cosines = documents.similarity(["a ship", "the judge"], ["a harbour"])
    lengths = np.linalg.norm(firsts, axis=1) * np.linalg.norm(seconds)
    np.testing.assert_allclose(cosines[:, 0], firsts @ seconds[0] / lengths, atol=1e-6)
    assert documents.similarity("a ship", "a ship") == pytest.approx(1.0, abs=1e-6)


def test_a_long_text_is_read_to_its_end(run: Path) -> None:
    documents = ft.load(run)
    beginning = " ".join(["ship"] * 10_000)
    first, second = documents.embed([beginning, f"{beginning} {'judge ' * 10_000}"], epochs=1)
    assert first @ second / np.linalg.norm(first) / np.linalg.norm(second) < 0.9


def test_a_run_opens_with_equal_vectors_and_inference(corpus: Path, tmp_path: Path) -> None:
    for number, settings in enumerate(KINDS.values()):
        learned = (
            ft.Doc2Vec(**{**SMALL, "epochs": 2, **settings})
            .fit(corpus, out=tmp_path / str(number))
            .documents_
        )
        opened = ft.load(tmp_path / str(number), ft.DocumentVectors)
        np.testing.assert_array_equal(opened.vectors, learned.vectors)
        np.testing.assert_array_equal(opened.embed(["a ship"]), learned.embed(["a ship"]))
        assert opened.names == learned.names
        assert opened.beginning("3") == corpus.read_text().splitlines()[3][:77] + "..."


def test_words_have_vectors_where_they_are_learned(run: Path, corpus: Path) -> None:
    words = ft.load(run).words
    assert topic_of(words.most_similar("ship", topn=1)[0][0]) == "sea"
    alone = ft.Doc2Vec(**{**SMALL, "epochs": 1}).fit(corpus).documents_
    with pytest.raises(SettingError, match="learns no vectors of words"):
        _ = alone.words


def test_documents_find_themselves(run: Path, corpus: Path) -> None:
    documents = ft.load(run)
    lines = corpus.read_text().splitlines()[:50]
    assert documents.found_again_rate(lines, range(50)) > 0.5
    assert documents.found_again_rate(lines, range(50, 100)) < 0.1


def test_a_resumed_training_ends_in_the_same_bits(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimator = ft.Doc2Vec(**SMALL, checkpoint_seconds=0)
    unbroken = estimator.fit(corpus).documents_
    finished = Hogwild._finished

    def stop(self: Hogwild) -> bool:
        if self.state.step > 400:
            self._save()
            raise Interrupted("stopped")
        return finished(self)

    monkeypatch.setattr(Hogwild, "_finished", stop)
    with pytest.raises(Interrupted):
        estimator.fit(corpus, out=tmp_path / "run")
    monkeypatch.undo()
    resumed = estimator.fit(corpus, out=tmp_path / "run", resume=True).documents_
    np.testing.assert_array_equal(resumed.vectors, unbroken.vectors)


def test_a_stream_is_enough_for_a_run_and_for_its_resume(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names, training and the last figure read the text; a stream comes but once."""

    def given() -> None:
        stream = io.TextIOWrapper(io.BytesIO(corpus.read_bytes()))
        monkeypatch.setattr(sys, "stdin", stream)

    def stop(*_: object) -> None:
        raise Interrupted("stopped")

    recipe = Recipe.from_settings("doc2vec", SMALL)
    given()
    with monkeypatch.context() as patch:
        patch.setattr(DocumentVectorLearner, "finish", stop)
        with pytest.raises(Interrupted):
            run_recipe(recipe, "-", tmp_path / "run")
    given()
    run_recipe(recipe, "-", tmp_path / "run", resume=True)
    assert RunFolder(tmp_path / "run").facts()["found_again_rate"] > 0


def test_several_workers_learn_the_same_things(corpus: Path) -> None:
    topics = [topic_of_document(line) for line in corpus.read_text().splitlines()]
    documents = ft.Doc2Vec(**{**SMALL, "workers": 2, "loss": "hs"}).fit(corpus).documents_
    found = documents.neighbors(documents.names[:60], 1)
    right = [topics[int(near[0][0])] == topics[at] for at, near in enumerate(found)]
    assert np.mean(right) > 0.9


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "dm", "dbow_words": True}, 'dbow_words would have no effect without model = "d'),
        ({"context": "sum"}, 'context would have no effect without model = "dm"'),
        ({"window": 3}, 'window would have no effect without model = "dm" or dbow_words'),
        ({"loss": "hs", "negative": 7}, 'negative would have no effect without loss = "ns"'),
        ({"exact": True, "workers": 3, "dbow_words": True}, "exact = true takes one worker"),
        ({"exact": True}, "exact would have no effect without dbow_words"),
        ({"exact": True, "dbow_words": True, "loss": "hs"}, 'exact .* and loss = "ns"'),
        ({"subsampling": "paper", "sample": 0.0}, "subsampling would have no effect without sub"),
        ({"budget_seconds": 2.0, "epochs": 3}, "epochs would have no effect beside a budget"),
    ],
)
def test_settings_without_effect_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        Doc2VecConfig.checked(settings, "vectors")


def test_no_base_and_classification_alone(run: Path, corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot go on from other vectors"):
        ft.pretrain("doc2vec", corpus, base=run)
    rows = tmp_path / "rows.txt"
    rows.write_text("sea\ta ship\nfarm\ta barn\n" * 10)
    learned = ft.finetune("classification", run, rows, out=tmp_path / "task")
    assert [view.name for view in learned.views] == [str(run), "words"]
    with pytest.raises(SettingError, match="learns classification, not tagging"):
        ft.finetune("tagging", run, [(["a", "ship"], ["O", "B-X"])])


DAMAGES: dict[str, Any] = {
    "a name too many": lambda t: t | {"names": np.append(t["names"], np.uint8([10, 65]))},
    "a document of other size": lambda t: t | {"documents": t["documents"][:, 1:].copy()},
    "too few outputs": lambda t: t | {"outputs": t["outputs"][1:].copy()},
    "too few inputs": lambda t: t | {"inputs": t["inputs"][1:].copy()},
    "no inputs": lambda t: {name: each for name, each in t.items() if name != "inputs"},
    "not finite": lambda t: t | {"outputs": t["outputs"] * np.float32("nan")},
    "no UTF-8": lambda t: t | {"names": np.full_like(t["names"], 255)},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(damage: str, run: Path, tmp_path: Path) -> None:
    for path in run.glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    tensors = load_file(run / FILE)
    documents = ft.load(run)
    settings = documents.network.config.model_dump_json(exclude_none=True)
    save_file(DAMAGES[damage](tensors), tmp_path / FILE, {"settings": settings})
    with pytest.raises(VectorFileError, match=FILE):
        ft.load(tmp_path)


def test_damaged_settings_are_refused(run: Path, tmp_path: Path) -> None:
    for path in run.glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for settings in ('{"vector_size": 99999999}', '{"model": "cbow"}', "", '{"window": 7}'):
        save_file(load_file(run / FILE), tmp_path / FILE, {"settings": settings})
        with pytest.raises(VectorFileError, match=FILE):
            ft.load(tmp_path)


@pytest.mark.parametrize("settings", [{"pooling": "mean"}, {"layers": (-1,)}])
def test_an_index_takes_no_layers_of_it(run: Path, tmp_path: Path, settings: Any) -> None:
    with pytest.raises(SettingError, match="no effect on this model, which has no layers"):
        index(run, ["a text"], tmp_path / "index", settings=settings, quiet=True)
    assert not (tmp_path / "index").exists()
