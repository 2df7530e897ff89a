"""Making an index: going on after a kill, adding files, and what is refused."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import (
    CorpusError,
    Interrupted,
    MissingExtraError,
    ModelFileError,
    OutputError,
    SettingError,
)
from foretext.search import SearchIndex, embedding
from foretext.search.embedder import Embedder, EmbeddingModel
from foretext.search.folder import EmbeddingOptions
from foretext.search.index import index
from tests.language_model.models import bert
from tests.search.indexes import TEXTS, VECTORS, made, write_model
from tests.vectors.static_folders import drawn_vectors

LINES = {"documents": "line"}


class _Killed(BaseException):
    """What no code of ours catches."""


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _killed_after(
    monkeypatch: pytest.MonkeyPatch, target: Any, name: str, calls: int = 1
) -> Callable[[], None]:
    """Let a function die after some calls; what is returned brings it back."""
    real, left = getattr(target, name), iter(range(calls))

    def dying(*arguments: Any, **options: Any) -> Any:
        if next(left, None) is None:
            raise _Killed
        return real(*arguments, **options)

    monkeypatch.setattr(target, name, dying)
    return lambda: monkeypatch.setattr(target, name, real)


def test_a_killed_indexing_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _contents(made(tmp_path)._folder.path)
    shutil.rmtree(tmp_path / "index")
    monkeypatch.setattr(embedding, "BLOCK", 1)
    monkeypatch.setattr(embedding.blocks_of, "__defaults__", (1, 0))
    revive = _killed_after(monkeypatch, Embedder, "embed", 2)
    with pytest.raises(_Killed):
        made(tmp_path)
    with pytest.raises(ModelFileError, match=r"no finished index; .* finish it with --resume"):
        SearchIndex(tmp_path / "index", lambda path: None)
    with pytest.raises(OutputError, match="holds an unfinished index; go on with --resume"):
        made(tmp_path)
    with (tmp_path / "index" / "replacement" / "vectors.partial").open("ab") as file:
        file.write(b"half")  # of a row
    revive()
    embedded: list[str] = []
    real = Embedder.embed
    monkeypatch.setattr(Embedder, "embed", lambda self, t: (embedded.extend(t), real(self, t))[1])
    made(tmp_path, resume=True)
    assert embedded == ["The judge knows the law.", "Room 4711 is closed."]
    assert _contents(tmp_path / "index") == expected


@pytest.mark.parametrize(
    "place",
    [
        "foretext.search.job.read_passages",
        "foretext.search.reading.atomic_file",
        "foretext.search.job.write_weights",
        "foretext.search.job.keep_vectors",
        "foretext.search.job.write_word_index",
        "foretext.search.job.keep_model",
        "foretext.search.building.promote",
    ],
)
def test_killed_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    expected = _contents(made(tmp_path)._folder.path)
    shutil.rmtree(tmp_path / "index")
    module, _, name = place.rpartition(".")
    revive = _killed_after(monkeypatch, import_module(module), name, 0)
    with pytest.raises(_Killed):
        made(tmp_path)
    revive()
    if name == "promote":  # whoever opens a finished index lets it take its place
        assert len(ft.load(tmp_path / "index")) == 4
    else:
        made(tmp_path, resume=True)
    assert _contents(tmp_path / "index") == expected


def test_an_index_is_in_use_until_the_new_one_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path)
    revive = _killed_after(monkeypatch, Embedder, "embed", 0)
    with pytest.raises(_Killed):
        made(tmp_path, "other law\n", overwrite=True)
    revive()
    assert ft.load(tmp_path / "index").search("law", 1)[0].text == "The judge knows the law."
    made(tmp_path, "other law\n", resume=True)
    assert [hit.text for hit in ft.load(tmp_path / "index").search("law")] == ["other law"]


def test_resume_takes_the_same_texts_and_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revive = _killed_after(monkeypatch, Embedder, "embed", 0)
    with pytest.raises(_Killed):
        made(tmp_path)
    revive()
    with pytest.raises(OutputError, match="was begun with other texts, settings or another model"):
        made(tmp_path, resume=True, settings={"dtype": "int8"})


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="holds no index; there is nothing to resume"):
        made(tmp_path, resume=True)
    made(tmp_path)
    with pytest.raises(OutputError, match="holds a finished index; there is nothing to resume"):
        made(tmp_path, resume=True)


def test_files_are_added_without_embedding_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(tmp_path, settings={"approximate": _has_usearch(), "dtype": "float16"})
    before = first.search("wave ship", exact=True)
    (tmp_path / "more.txt").write_text("A harbour and the law.\nThe ship left the harbour.\n")
    embedded: list[str] = []
    real = Embedder.embed
    monkeypatch.setattr(Embedder, "embed", lambda self, t: (embedded.extend(t), real(self, t))[1])
    both = [tmp_path / "texts.txt", tmp_path / "more.txt"]
    grown = index(
        tmp_path / "vectors.safetensors", both, tmp_path / "index", text=LINES, add=True,
        settings={"approximate": _has_usearch()}, quiet=True,
    )  # fmt: skip
    assert embedded == ["A harbour and the law."]
    assert (len(grown), grown.facts.places) == (5, 7)
    assert grown.facts.dtype == "float16"
    found = grown.search("wave ship", exact=True)
    assert [hit.score for hit in found if hit.row < 4] == [hit.score for hit in before]
    [again] = [hit for hit in found if hit.text == "The ship left the harbour."]
    assert [Path(place.source).name for place in again.others] == ["texts.txt", "more.txt"]
    assert [hit.row for hit in grown.search("wave ship")] == [hit.row for hit in found]
    assert grown.search("harbour law", by="words")[0].text == "A harbour and the law."


def _has_usearch() -> bool:
    from foretext.vectors.neighbor_graph import is_usearch_installed

    return is_usearch_installed()


def test_what_cannot_be_added(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="holds no index to add to; make one without --add"):
        made(tmp_path, add=True)
    made(tmp_path)
    with pytest.raises(SettingError, match="length has no effect with add"):
        made(tmp_path, add=True, settings={"length": 3})
    with pytest.raises(CorpusError, match=r"texts.txt is in the index, but has changed since"):
        made(tmp_path, f"{TEXTS}more\n", add=True)
    other = tmp_path / "other.safetensors"
    ft.WordVectors(VECTORS.index_to_key, VECTORS.vectors[:, ::-1]).save(other)
    with pytest.raises(ModelFileError, match=r"is not the model of .*would not fit the others"):
        index(other, tmp_path / "texts.txt", tmp_path / "index", add=True, overwrite=True)


def test_what_stands_in_the_way(tmp_path: Path) -> None:
    made(tmp_path)
    with pytest.raises(OutputError, match=r"add texts with --add, or replace it with --overwrite"):
        made(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    model = tmp_path / "vectors.safetensors"
    with pytest.raises(OutputError, match="is a folder with other files in it"):
        index(model, tmp_path / "texts.txt", tmp_path / "full", overwrite=True)
    assert (tmp_path / "full" / "thesis.txt").read_text() == "mine"
    (tmp_path / "full" / "config.json").write_text('{"kind": "word vectors"}')
    with pytest.raises(OutputError, match="holds a model, not an index"):
        index(model, tmp_path / "texts.txt", tmp_path / "full", overwrite=True)


def test_a_text_without_words_of_the_model_and_one_without_text(tmp_path: Path) -> None:
    found = made(tmp_path, "zebra zoo\n")
    assert len(found.search("ship")) == 0
    (tmp_path / "empty.txt").write_text(" \n\n")
    for _ in range(2):  # what was refused leaves nothing behind
        with pytest.raises(CorpusError, match=r"empty.txt: there is no text in it"):
            index(write_model(tmp_path), tmp_path / "empty.txt", tmp_path / "other", quiet=True)
    assert not (tmp_path / "other").exists()


def test_duplicates_can_be_kept(tmp_path: Path) -> None:
    found = made(tmp_path, settings={"keep_duplicates": True})
    assert (len(found), found.facts.places) == (5, 5)
    assert [hit.place.first for hit in found.search("ship harbour", 2)] == [1, 6]


def test_weights_are_the_idf_of_the_passages(tmp_path: Path) -> None:
    found = made(tmp_path, "ship ship\nship law\nship wave\n")
    [near] = [hit for hit in found.search("ship law") if hit.text == "ship law"]
    weights = {"ship": np.log1p(0.5 / 3.5), "law": np.log1p(2.5 / 1.5)}
    vector = sum(weights[word] * VECTORS[word] for word in weights)
    assert near.score == pytest.approx(1)
    [ship] = [hit for hit in found.search("ship law") if hit.text == "ship ship"]
    cosine = vector @ VECTORS["ship"] / np.linalg.norm(vector) / np.linalg.norm(VECTORS["ship"])
    assert ship.score == pytest.approx(cosine, abs=1e-6)


def test_formats_and_texts_in_memory(tmp_path: Path) -> None:
    rows = [{"body": "The ship."}, {"body": ""}, {"body": "The law."}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b'id,body\n1,"A wave,\nand a ship."\n'))
    model = write_model(tmp_path)
    found = index(model, tmp_path, tmp_path / "i", text={"column": "body"}, quiet=True)
    assert str(found.search("law", 1)[0].place).endswith("a.jsonl, row 3")
    assert str(found.search("wave", by="words")[0].place).endswith("b.csv.gz, row 1")
    memory = index(model, ["The ship.", "The law."], tmp_path / "m", quiet=True)
    assert str(memory.search("law", 1)[0].place) == "2 texts in memory, row 2"


def test_a_network_and_texts_longer_than_it(tmp_path: Path) -> None:
    model = bert()
    model.save(tmp_path / "bert")
    lines = ["the dog barks in the morning . " * 20, "every cat purrs ."]
    kept = {"keep_duplicates": True}
    found = index(tmp_path / "bert", lines, tmp_path / "index", settings=kept, quiet=True)
    assert found.facts.length == model.text_room
    texts = [found.passages.text(row) for row in range(len(found))]
    assert len(texts) > 2
    assert max(model.text_sizes(texts)) <= model.text_room
    again = ft.load(tmp_path / "index").search("every cat purrs .", 1)[0]
    assert again.text == "every cat purrs ."
    assert again.score == pytest.approx(1, abs=1e-3)
    with pytest.raises(SettingError, match="weighting = 'idf' has no effect"):
        index(tmp_path / "bert", lines, tmp_path / "no", settings={"weighting": "idf"})
    assert not (tmp_path / "no").exists()


def test_pooling_has_no_effect_on_word_vectors(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="no effect on this model, which has no layers"):
        made(tmp_path, settings={"pooling": "cls"})


@pytest.mark.parametrize("settings", [{"pooling": "cls"}, {"layers": (1, 2)}])
@pytest.mark.parametrize("model", [VECTORS, drawn_vectors()], ids=["words", "tokens"])
def test_models_without_layers_take_neither_pooling_nor_layer(
    model: EmbeddingModel, settings: dict[str, Any]
) -> None:
    with pytest.raises(SettingError, match="pooling and layer have no effect on this model"):
        Embedder(model, EmbeddingOptions(**settings))
    Embedder(model, EmbeddingOptions())


def test_a_graph_without_usearch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usearch", None)
    with pytest.raises(MissingExtraError, match=r"approximate search needs .*foretext\[index\]"):
        made(tmp_path, settings={"approximate": True})
    assert not made(tmp_path).is_approximate


def test_a_classifier_gives_no_vectors(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text(TEXTS)
    texts, labels = ["a ship", "a law"] * 6, ["sea", "law"] * 6
    ft.LinearClassifier(min_texts=1).fit(texts, labels).save(tmp_path / "linear")
    with pytest.raises(ModelFileError, match="'linear classifier', which gives no vectors"):
        index(tmp_path / "linear", tmp_path / "texts.txt", tmp_path / "index")


def test_a_signal_stops_and_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Embedder.embed

    def interrupted(self: Embedder, texts: list[str]) -> Any:
        signal.raise_signal(signal.SIGTERM)
        return real(self, texts)

    monkeypatch.setattr(Embedder, "embed", interrupted)
    with pytest.raises(Interrupted, match=r"Stopped by SIGTERM; go on with --resume: .*index"):
        made(tmp_path)
    monkeypatch.setattr(Embedder, "embed", real)
    assert len(made(tmp_path, resume=True)) == 4


def test_paragraphs_of_a_dialogue_come_together(tmp_path: Path) -> None:
    said = [f"The judge said number {n}." for n in range(30)]
    (tmp_path / "dialogue.txt").write_text("\n\n".join(said))
    (tmp_path / "reviews.txt").write_text("".join(f"The ship was good, {n}.\n" for n in range(30)))
    vectors = write_model(tmp_path)
    names = [str(tmp_path / name) for name in ("dialogue.txt", "reviews.txt")]
    found = index(vectors, names, tmp_path / "index", quiet=True)
    assert found.passages.text(0) == "\n".join(said)
    assert len(found) == 1 + 30  # a review stays alone
    chosen = index(vectors, names, tmp_path / "lines", text=LINES, quiet=True)
    assert len(chosen) == 30 + 30
    short = index(vectors, names[0], tmp_path / "short", settings={"length": 12}, quiet=True)
    assert [short.passages.text(row) for row in range(2)] == [
        "\n".join(said[:2]),
        "\n".join(said[2:4]),
    ]
