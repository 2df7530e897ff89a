"""Linear heads on frozen bases as a run: which bases, what is refused, what the folder keeps."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ForetextError, SettingError
from foretext.finetuning.bases import learner_class
from foretext.finetuning.embeddings import EmbeddingLearner
from tests.networks import sentences
from tests.task_files import TaskFiles, word_vectors


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of doc2vec, word2vec and topics, and a file of vectors without counts."""
    folder = tmp_path_factory.mktemp("bases")
    text = folder / "text.txt"
    text.write_text(sentences(150), encoding="utf-8")
    shared: dict[str, Any] = {"quiet": True, "settings": ["tokenizer.min_count=1"]}
    small = ["vectors.vector_size=8", "vectors.epochs=2", "vectors.workers=1"]
    for recipe, more in (
        ("doc2vec", small),
        ("word2vec", small),
        ("lda", ["topics.num_topics=3", "topics.epochs=2", "topics.most_documents=1.0"]),
    ):
        settings = [*shared["settings"], *more]
        ft.pretrain(recipe, text, folder / recipe, quiet=True, settings=settings)
    word_vectors().save(folder / "v.txt")
    return {name: folder / name for name in ("doc2vec", "word2vec", "lda", "v.txt")}


def learned(base: Any, files: TaskFiles, out: Path | None = None, **options: Any) -> Any:
    train = files.train("classification")
    return ft.finetune("classification", base, train, out, quiet=True, **options)


def views(model: Any) -> list[str]:
    return [Path(view.name).name for view in model.views]


def test_bases_stand_side_by_side(
    bases: dict[str, Path], task_files: TaskFiles, tmp_path: Path
) -> None:
    test = task_files.test("classification")
    names = ("doc2vec", "word2vec", "v.txt")
    beside = [str(bases[name]) for name in names]
    model = learned("embeddings", task_files, tmp_path / "run", beside=beside, test=test)
    assert views(model) == [*names, "words"]
    facts = json.loads((tmp_path / "run" / "config.json").read_text())
    assert [view["view"] for view in facts["views"]] == [
        *beside, "words", " + ".join(beside), "all together"
    ]  # fmt: skip
    assert facts["kind"] == "embedding classifier"
    assert facts["baseline"]["test"]["accuracy"] > 0
    assert "the words of '" in (tmp_path / "run" / "train.log").read_text()  # without counts
    opened = ft.load(tmp_path / "run")
    assert np.array_equal(
        opened.predict_proba(["the cat purrs"]), model.predict_proba(["the cat purrs"])
    )
    again = ft.finetune(config=tmp_path / "run" / "recipe.toml", out=tmp_path / "2", quiet=True)
    assert np.array_equal(again.predict_proba(["a dog"]), model.predict_proba(["a dog"]))


@pytest.mark.parametrize("name", ["doc2vec", "lda"])
def test_a_run_without_a_network_is_a_base_itself(
    bases: dict[str, Path], name: str, task_files: TaskFiles, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(bases[name], tmp_path / name))
    assert learner_class(str(copy)) is learner_class(ft.load(copy)) is EmbeddingLearner
    model = learned(copy, task_files, tmp_path / "run", beside=bases["word2vec"])
    assert views(model) == [name, "word2vec", "words"]
    shutil.rmtree(copy)
    assert ft.load(tmp_path / "run").predict("the cat purrs") == model.predict("the cat purrs")


def test_an_opened_base_is_kept_in_the_run(
    bases: dict[str, Path], task_files: TaskFiles, tmp_path: Path
) -> None:
    settings = ["embeddings.words=false"]
    documents = ft.load(bases["doc2vec"])
    model = learned(documents, task_files, tmp_path / "run", settings=settings)
    assert views(model) == ["DocumentVectors"]
    assert ft.load(tmp_path / "run").predict("the cat purrs") == model.predict("the cat purrs")
    assert (learned(documents, task_files, settings=settings)).num_labels == 3


def test_unlabelled_texts_are_read(
    bases: dict[str, Path], task_files: TaskFiles, tmp_path: Path
) -> None:
    more = ["a quagga in the fog", "an okapi"]
    model = learned("embeddings", task_files, beside=[bases["word2vec"]], unlabelled=more)
    assert "quagga" in model.views[1].names


@pytest.mark.parametrize(
    ("base", "options", "sentence"),
    [
        ("linear", {"beside": "v.txt"}, "--with has no effect on 'linear'; leave it out, or give"),
        ("word2vec", {"beside": "v.txt"}, "--with has no effect on '.*word2vec'"),
        ("embeddings", {"budget": "10s"}, "--budget has no effect on frozen vectors"),
        ("embeddings", {"search": "10s"}, "--search has no effect on frozen vectors"),
        ("embeddings", {"beside": "nothing"}, "nothing"),
        ("doc2vec", {"settings": ["embeddings.layer=1"]}, "layer has no effect"),
        ("doc2vec", {"settings": ["training.epochs=1"]}, r"\[training\]: there is no such section"),
        ("doc2vec", {"settings": ["embeddings.weighting='sif'"]}, "weighting has no effect"),
    ],
)
def test_what_has_no_effect_is_refused(
    bases: dict[str, Path], base: str, options: dict[str, Any], sentence: str,
    task_files: TaskFiles, tmp_path: Path,
) -> None:  # fmt: skip
    given = {**options}
    if "beside" in given:
        given["beside"] = [bases.get(given["beside"], tmp_path / given["beside"])]
    with pytest.raises(ForetextError, match=sentence):
        learned(str(bases.get(base, base)), task_files, tmp_path / "run", **given)


@pytest.mark.parametrize("task", ["matching", "tagging"])
def test_it_learns_classification(
    bases: dict[str, Path], task: str, task_files: TaskFiles, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=f"learns classification, not {task}"):
        ft.finetune(task, str(bases["doc2vec"]), task_files.train(task), tmp_path / "run")


def test_opened_bases_of_one_class_are_views_of_their_own() -> None:
    words = ["ship", "farm", "sea", "field"]
    vectors = [
        ft.WordVectors(words, np.random.default_rng(seed).random((4, size), np.float32))
        for seed, size in ((0, 3), (1, 5))
    ]
    rows = [("ship sea", "sea"), ("farm field", "land"), ("sea", "sea"), ("field", "land")]
    model = ft.finetune("classification", "embeddings", rows, beside=vectors, quiet=True)
    assert [(view.name, view.size) for view in model.views[:2]] == [
        ("WordVectors", 3), ("WordVectors (2)", 5)
    ]  # fmt: skip
