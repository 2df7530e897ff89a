"""The verbs that turn vectors into others: convert to fewer bytes, reduce, align, drift."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from tests.cli.conftest import Command


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_convert_to_fewer_bytes(command: Command, run: Path, tmp_path: Path, dtype: str) -> None:
    target = tmp_path / "v.safetensors"
    done = command("convert", run, target, "--dtype", dtype, "--json")
    result = json.loads(done.out)
    assert result["dtype"] == dtype
    assert result["bytes"] == target.stat().st_size
    assert result["mean_cosine"] > 0.9999
    assert result["neighbors_kept_rate"] > 0.9
    np.testing.assert_allclose(ft.load(target).vectors, ft.load(run).vectors, atol=0.02)
    shown = command("convert", run, target, "--dtype", dtype, "--overwrite").out
    assert "of the 10 nearest words kept" in shown


def test_fewer_bytes_need_safetensors(command: Command, run: Path, tmp_path: Path) -> None:
    done = command("convert", run, tmp_path / "v.txt", "--dtype", "int8")
    assert done.code == 2
    assert "only safetensors holds" in done.err
    assert "int4" in command("convert", run, tmp_path / "v.txt", "--dtype", "int4").err


def test_convert_a_file_that_is_not_quite_clean(command: Command, tmp_path: Path) -> None:
    source = tmp_path / "v.txt"
    source.write_bytes("new york 0.5 1.5\ncafé 1 2\nnew york 3 4\nship 2 3\n".encode("latin-1"))
    target = tmp_path / "clean.safetensors"
    advice = command("convert", source, target).err
    assert f"foretext convert {source} clean.safetensors" in " ".join(advice.split())
    options = ("--errors", "ignore", "--repeated", "first", "--limit", 3)
    done = command("convert", source, target, *options, "--json")
    assert json.loads(done.out)["words"] == 2
    assert ft.load(target).index_to_key == ["new york", "caf"]
    options = ("--encoding", "latin-1", "--repeated", "first", "--overwrite")
    command("convert", source, target, *options)
    assert ft.load(target).index_to_key == ["new york", "café", "ship"]
    refused = command("convert", tmp_path, target, "--limit", 3, "--overwrite")
    assert refused.code == 2
    assert "such options are for vector files" in refused.err


def test_reduce(command: Command, run: Path, tmp_path: Path) -> None:
    target = tmp_path / "small.safetensors"
    done = command("reduce", run, target, "--dim", 5, "--json")
    result = json.loads(done.out)
    assert result["words"] == 30
    assert (result["from"], result["vector_size"]) == (24, 5)
    assert 0 < result["variance_rate"] < 1
    assert ft.load(target).vector_size == 5
    assert "exists" in command("reduce", run, target, "--dim", 5).err
    shown = command("reduce", run, target, "--dim", 5, "--overwrite", "--remove-mean").out
    assert "5 of 24 dimensions with" in shown
    np.testing.assert_allclose(ft.load(target).vectors.mean(axis=0), 0, atol=1e-5)


@pytest.mark.slow
def test_reduce_by_an_autoencoder(
    command: Command, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.pretraining.reduction.FEWEST_STEPS", 100)
    target = tmp_path / "small.safetensors"
    arguments = ["reduce", run, target, "--dim", 5, "--overwrite", "-q"]
    result = json.loads(command(*arguments, "--method", "linear", "--json").out)
    assert result["method"] == "linear"
    assert 0 < result["variance_rate"] <= result["components_rate"] + 1e-6
    assert ft.load(target).vector_size == 5
    assert "of the variance (pca: " in command(*arguments, "--method", "linear").out
    refused = command(*arguments, "--method", "linear", "--standardize")
    assert "--standardize has no effect on an autoencoder" in refused.err
    refused = command(*arguments, "--remove-mean", "--standardize")
    assert "--remove-mean has no effect beside --standardize" in refused.err
    refused = command(*arguments, "--method", "linear", "--remove-mean")
    assert "--remove-mean has no effect on an autoencoder" in refused.err
    refused = command(*arguments, "--method", "liner")
    assert "method = 'liner': vectors cannot be reduced by this. Did you mean 'linear'?" in (
        refused.err
    )


def test_reduce_to_more_than_there_is(command: Command, run: Path, tmp_path: Path) -> None:
    done = command("reduce", run, tmp_path / "v.txt", "--dim", 25)
    assert done.code == 2
    assert "dim = 25: 30 words of 24 dimensions can be reduced to 1 to 24." in done.err
    assert not (tmp_path / "v.txt").exists()


def test_align(command: Command, run: Path, tmp_path: Path) -> None:
    vectors = ft.load(run)
    mirrored = tmp_path / "mirrored.safetensors"
    ft.WordVectors(vectors.index_to_key, vectors.vectors[:, ::-1]).save(mirrored)
    done = command("align", mirrored, run, tmp_path / "back.safetensors", "--json")
    result = json.loads(done.out)
    assert result["common_words"] == 30
    assert result["residual"] < 1e-5
    np.testing.assert_allclose(
        ft.load(tmp_path / "back.safetensors").vectors, vectors.vectors, atol=1e-5
    )
    shown = command("align", mirrored, run, tmp_path / "back.safetensors", "--overwrite").out
    assert "aligned by 30 in common" in shown


def test_drift(command: Command, run: Path, tmp_path: Path) -> None:
    vectors = ft.load(run)
    swapped = vectors.vectors.copy()
    ship, judge = vectors.key_to_index["ship"], vectors.key_to_index["judge"]
    swapped[[ship, judge]] = swapped[[judge, ship]]
    ft.WordVectors(vectors.index_to_key, swapped).save(tmp_path / "other.safetensors")
    arguments = ["drift", run, tmp_path / "other.safetensors", "-n", 2, "--neighbors", 5]
    found = json.loads(command(*arguments, "--json").out)
    assert found["words"] == 30
    assert {changed["word"] for changed in found["changed"]} == {"ship", "judge"}
    assert len(found["changed"][0]["before"]) == 5
    assert 0 < found["mean_change"] < found["changed"][1]["change"]
    shown = command(*arguments).out
    assert "30 words in common" in shown
    assert "ship" in shown


def test_drift_of_strangers(command: Command, run: Path, tmp_path: Path) -> None:
    ft.WordVectors(["x", "y"], np.eye(2, 24)).save(tmp_path / "v.safetensors")
    done = command("drift", run, tmp_path / "v.safetensors")
    assert done.code == 2
    assert "only 0 words to align 24 dimensions by" in done.err


def test_neighbors_by_an_index(command: Command, run: Path, tmp_path: Path) -> None:
    pytest.importorskip("usearch")
    index = tmp_path / "words.usearch"
    built = command("neighbors", run, "ship", "-n", 3, "--index", index, "--json")
    assert "100.0% of the 10 nearest" in built.err
    assert index.is_file()
    kept = command("neighbors", run, "ship", "-n", 3, "--index", index, "--json")
    assert "nearest" not in kept.err
    exact = json.loads(command("neighbors", run, "ship", "-n", 3, "--json").out)
    for found in (built, kept):
        assert json.loads(found.out)["ship"] == pytest.approx(exact["ship"], abs=1e-6)


def test_queries_follow_the_case_of_the_vocabulary(command: Command, run: Path) -> None:
    capital = command("neighbors", run, "Ship", "-n", 3)
    assert capital.out == command("neighbors", run, "ship", "-n", 3).out
    assert "ship" in capital.out.splitlines()[0] + capital.out.splitlines()[1]
    assert list(json.loads(command("neighbors", run, "Ship", "--json").out)) == ["Ship"]
    found = command("analogy", run, "Ship", "Wave", "Judge", "-n", 2)
    assert "ship : wave = judge :" in found.out


def test_texts_in_another_language_are_counted(command: Command, run: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("股市今天下跌\n两只狗在奔跑\nthe ship\n\n", encoding="utf-8")
    done = command("embed", run, texts, "-o", tmp_path / "vectors.npy")
    assert done.code == 0
    assert "2 of 3 texts (67%) have no word that the model knows" in done.err
    done = command("index", run, texts, "-o", tmp_path / "index", "--documents", "line", "-q")
    assert done.code == 0
    assert "2 of 3 passages (67%) have no word that the model knows" in done.err
    texts.write_text("the ship\n" * 3, encoding="utf-8")
    assert command("embed", run, texts, "-o", tmp_path / "own.npy").err == ""


def test_texts_of_a_table_are_embedded_without_the_rest(
    command: Command, run: Path, tmp_path: Path
) -> None:
    forms = {
        "plain.txt": "the ship\nthe sea\n",
        "rows.csv": "label,text\nx,the ship\ny,the sea\n",
        "rows.tsv": "text\tlabel\nthe ship\tx\nthe sea\ty\n",
        "rows.jsonl": '{"text": "the ship"}\n{"text": "the sea"}\n',
    }
    for name, content in forms.items():
        path = tmp_path / name
        path.write_text(content)
        found = [json.loads(line)["text"] for line in command("embed", run, path).out.splitlines()]
        assert found == ["the ship", "the sea"], name
    path = tmp_path / "other.csv"
    path.write_text("id,body\n1,the ship\n")
    refused = command("embed", run, path)
    assert (refused.code, "--text COLUMN" in refused.err) == (2, True)
    (line,) = command("embed", run, path, "--text", "body").out.splitlines()
    assert json.loads(line)["text"] == "the ship"


@pytest.mark.parametrize(
    ("target", "options", "sentence"),
    [
        ("out", ("--to", "label_studio"), "--to label_studio: there is no such format. Did you"),
        ("out", ("--to", "spacy"), "--to spacy: there is no such format. There are: csv, tsv"),
        ("out.txt", (), "the name does not say which format of labels is meant"),
    ],
)
def test_a_format_that_is_not_known_or_not_said(
    target: str, options: tuple[str, ...], sentence: str, command: Command, tmp_path: Path
) -> None:
    source = tmp_path / "d.jsonl"
    source.write_text('{"text": "a ship", "label": "sea"}\n')
    done = command("convert", source, tmp_path / target, *options)
    assert done.code == 2
    assert sentence in " ".join(done.err.split())
    assert not (tmp_path / target).exists()
