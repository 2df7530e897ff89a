"""Every verb as a person types it: what it prints, and as JSON."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from tests.cli.conftest import Command
from tests.vectors.texts import topic_of


def test_pretrain_leaves_a_whole_run(command: Command, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    settings = ["--set", "tokenizer.min_count=1", "--set", "vectors.vector_size=16"]
    done = command("pretrain", "word2vec", corpus, "-o", folder, *settings, "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["words"] == 30
    assert result["vector_size"] == 16
    assert 0 < result["loss"] < 6
    assert {path.name for path in folder.iterdir()} == {
        "README.md",
        "config.json",
        "metrics.jsonl",
        "outputs.safetensors",
        "recipe.toml",
        "report.html",
        "tokenizer.json",
        "tokens",
        "train.log",
        "vectors.safetensors",
        "vocabulary.tsv",
    }
    assert "word2vec" in done.err  # progress goes to standard error
    assert ft.load(folder).vector_size == 16
    assert "vector_size = 16" in (folder / "recipe.toml").read_text()
    assert f'ft.load("{folder}")' in (folder / "README.md").read_text()


def test_a_resolved_recipe_makes_the_same_run(
    command: Command, corpus: Path, run: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    done = command("pretrain", run / "recipe.toml", corpus, "-o", again, "--no-report", "-q")
    assert done.code == 0, done.err
    assert done.err == ""
    np.testing.assert_array_equal(ft.load(run).vectors, ft.load(again).vectors)


def test_config_and_set_go_over_the_recipe(command: Command, corpus: Path, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[vectors]\nvector_size = 8\nepochs = 1\n[tokenizer]\nmin_count = 1\n")
    arguments = ["-o", tmp_path / "run", "--no-report", "--json", "--config", config]
    done = command("pretrain", "word2vec", corpus, *arguments, "--set", "vectors.model=cbow")
    assert json.loads(done.out)["vector_size"] == 8
    assert 'model = "cbow"' in (tmp_path / "run" / "recipe.toml").read_text()


def test_budget(command: Command, corpus: Path, tmp_path: Path) -> None:
    arguments = ["-o", tmp_path / "run", "--no-report", "--json", "--budget", "5s"]
    done = command("pretrain", "word2vec", corpus, *arguments)
    given = tomllib.loads((tmp_path / "run" / "recipe.toml").read_text())["vectors"]
    assert given["budget_seconds"] < 5.0  # reading and saving take their part
    assert json.loads(done.out)["seconds"] < 5.0


@pytest.mark.slow
def test_memory_is_glove_s(command: Command, corpus: Path, tmp_path: Path) -> None:
    arguments = [corpus, "-o", tmp_path / "run", "--memory", "600kB", "--set", "vectors.epochs=1"]
    done = command("pretrain", "glove", *arguments)
    assert done.code == 0, done.err
    assert 'memory = "600kB"' in (tmp_path / "run" / "recipe.toml").read_text()
    assert "cells a second" in (tmp_path / "run" / "report.html").read_text()
    done = command("pretrain", "word2vec", corpus, "-o", tmp_path / "other", "--memory", "1GB")
    assert done.code == 2
    assert "[vectors] memory: there is no such setting." in done.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ("--processes", 2),
            "--processes is for word vectors, and bert learns none; start several",
        ),
        (("--memory", "1GB"), "--memory is for word vectors, and bert learns none; leave it out."),
    ],
)
def test_options_of_word_vectors(
    command: Command, corpus: Path, tmp_path: Path, options: tuple[object, ...], sentence: str
) -> None:
    refused = command("pretrain", "bert", corpus, "-o", tmp_path / "run", *options)
    assert refused.code == 2
    assert sentence in refused.err


def test_neighbors(command: Command, run: Path) -> None:
    done = command("neighbors", run, "ship", "judge", "-n", "3", "--json")
    found = json.loads(done.out)
    assert {topic_of(word) for word in found["ship"]} == {"sea"}
    assert len(found["judge"]) == 3
    assert "cosine" in command("neighbors", run, "ship").out


def test_neighbors_of_an_unknown_word_suggest_close_ones(command: Command, run: Path) -> None:
    done = command("neighbors", run, "harbor")
    assert done.code == 2
    assert "'harbor' is not in the vocabulary" in done.err
    assert "harbour" in done.err


def test_analogy(command: Command, run: Path) -> None:
    done = command("analogy", run, "ship", "wave", "judge", "-n", "4", "--json")
    assert len(json.loads(done.out)) == 4
    assert "ship : wave = judge :" in command("analogy", run, "ship", "wave", "judge").out


def test_evaluate(command: Command, run: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("ship\twave\t9\nship\tjudge\t1\nbarn\tcow\t8\nbarn\tjury\t2\nsun\tmoon\t5\n")
    questions = tmp_path / "questions.txt"
    questions.write_text(": sea\nship wave tide anchor\nsun moon tide anchor\n")
    done = command("evaluate", run, pairs, questions, "--json")
    first, second = json.loads(done.out).values()
    assert first["spearman"] > 0.7
    assert first["pairs"] == 4
    assert first["unknown_words"] == ["sun", "moon"]
    assert second["questions"] == 1
    assert second["out_of_vocabulary"] == 1
    assert "spearman" in command("evaluate", run, pairs).out


def test_embed(command: Command, run: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("Ship and wave\njudge, jury\n")
    for name in ("out.npy", "out.parquet"):
        done = command("embed", run, texts, "-o", tmp_path / name, "--json")
        assert json.loads(done.out) == {"texts": 2, "output": str(tmp_path / name)}
    embedded = np.load(tmp_path / "out.npy")
    expected = ft.load(run).embed(["ship and wave", "judge jury"])
    np.testing.assert_allclose(embedded, expected)
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert table["text"] == ["Ship and wave", "judge, jury"]
    np.testing.assert_allclose(table["embedding"], embedded)
    lines = command("embed", run, texts).out.splitlines()
    assert json.loads(lines[0])["text"] == "Ship and wave"


@pytest.mark.parametrize("name", ["v.txt", "v.bin", "v.glove.txt", "v.safetensors", "v.vec"])
def test_convert_and_open(command: Command, run: Path, tmp_path: Path, name: str) -> None:
    done = command("convert", run, tmp_path / name, "--json")
    assert json.loads(done.out) == {
        "target": str(tmp_path / name),
        "words": 30,
        "vector_size": 24,
    }
    np.testing.assert_array_equal(ft.load(tmp_path / name).vectors, ft.load(run).vectors)
    again = command("convert", run, tmp_path / name)
    assert again.code == 2
    assert "exists" in again.err


def test_inspect(command: Command, corpus: Path, tmp_path: Path) -> None:
    done = command("inspect", corpus, "--json", "-q", "--report", tmp_path / "page.html")
    report = json.loads(done.out)
    assert report["documents"] == 400
    assert report["distinct_words"] == 30
    assert "<html" in (tmp_path / "page.html").read_text()
    shown = command("inspect", corpus).out
    assert re.search(r"documents\s+400", shown)
    assert "word2vec:" in shown


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram", "word", "words"])
def test_tokenizer(command: Command, corpus: Path, tmp_path: Path, kind: str) -> None:
    from tokenizers import Tokenizer

    arguments = [corpus, "-o", tmp_path / "t", "--kind", kind, "--vocab-size", 300, "--json", "-q"]
    done = command("tokenizer", *arguments)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["vocab_size"] <= 300
    assert 1 <= report["fertility"] < 6
    opened = Tokenizer.from_file(str(tmp_path / "t" / "tokenizer.json"))
    assert opened.encode("ship and harbour").ids
    assert "--overwrite" in command("tokenizer", *arguments).err
    shown = command("tokenizer", *arguments[:-2], "--overwrite", "--test", corpus)
    assert "fertility" in shown.out


def test_version_and_help(command: Command) -> None:
    assert command("--version").out.startswith("foretext ")
    shown = command("--help").out
    for verb in ("demo", "inspect", "pretrain", "evaluate", "neighbors", "convert", "list"):
        assert verb in shown


@pytest.mark.slow
def test_demo(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole demonstration, on part of the text to be quick."""
    from foretext.cli import demonstration

    real = demonstration.write_docstrings
    monkeypatch.setattr(
        demonstration,
        "write_docstrings",
        lambda path, **options: real(path, **options | {"limit_bytes": 1_000_000}),
    )
    done = command("demo", "-o", tmp_path / "demo", "--json", "-q")
    assert done.code == 0, done.err
    made = json.loads(done.out)
    assert made["words"] > 1000
    assert all(len(near) == 5 for near in made["neighbors"].values())
    assert (tmp_path / "demo" / "run" / "report.html").stat().st_size > 100_000
    assert made["few"]["accuracy"] > made["few"]["linear"]
    assert (tmp_path / "demo" / "few" / "report.html").is_file()
    refused = command("demo", "-o", tmp_path / "demo")
    assert refused.code == 2
    assert "--overwrite" in refused.err
