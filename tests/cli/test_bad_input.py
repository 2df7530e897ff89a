"""Bad input gets one sentence and exit code 2; nothing hangs, and nothing is lost or half-made."""

from __future__ import annotations

import gzip
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from tests.cli.conftest import Command

if sys.platform != "win32":
    import resource


def pretrain(command: Command, corpus: object, run: Path, *more: object) -> str:
    """Pretrain on bad input; its sentence, after checking that no run was left."""
    done = command("pretrain", "word2vec", corpus, "-o", run, "--quiet", *more)
    assert done.code == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    assert not run.exists()
    return done.err


def test_empty_corpus(command: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    sentence = pretrain(command, tmp_path / "empty.txt", tmp_path / "run")
    assert "empty.txt" in sentence


def test_corpus_below_the_threshold(command: Command, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("a few words, each of them once\n")
    sentence = pretrain(command, tmp_path / "few.txt", tmp_path / "run")
    assert "min_count" in sentence


def test_missing_file_with_a_close_name(command: Command, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("text\n")
    sentence = pretrain(command, tmp_path / "corpsu.txt", tmp_path / "run")
    assert "corpsu.txt" in sentence
    assert "corpus.txt" in sentence


def test_missing_column(command: Command, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,body\n1,some text\n")
    sentence = pretrain(command, tmp_path / "rows.csv", tmp_path / "run")
    assert "'text'" in sentence
    assert "body" in sentence


def test_binary_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "image.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert "image.txt" in pretrain(command, tmp_path / "image.txt", tmp_path / "run")


def test_truncated_gzip(command: Command, tmp_path: Path) -> None:
    whole = gzip.compress(np.random.default_rng(0).integers(97, 122, 50_000, np.uint8).tobytes())
    (tmp_path / "cut.txt.gz").write_bytes(whole[:-500])
    assert "cut.txt.gz" in pretrain(command, tmp_path / "cut.txt.gz", tmp_path / "run")


def test_broken_json_line(command: Command, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "fine"}\n{"text": "torn\n')
    assert "line 2" in pretrain(command, tmp_path / "rows.jsonl", tmp_path / "run")


def test_invalid_utf8_in_the_middle(command: Command, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"fine\nfine\ncaf\xe9 au lait\nfine\n")
    sentence = pretrain(command, tmp_path / "latin.txt", tmp_path / "run")
    assert "line 3" in sentence
    assert "encoding" in sentence


def test_encoding_mends_it(command: Command, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"le caf\xe9 et la cr\xe8me du caf\xe9\n" * 50)
    arguments = [tmp_path / "latin.txt", "-o", tmp_path / "run", "--encoding", "latin-1"]
    done = command("pretrain", "word2vec", *arguments, "--no-report", "-q")
    assert done.code == 0, done.err
    assert "café" in ft.load(tmp_path / "run")


@pytest.mark.slow
def test_line_of_100_mb(command: Command, tmp_path: Path) -> None:
    """No error at all: it is read in pieces, and learned from."""
    path = tmp_path / "long.txt"
    path.write_bytes(b"one two three four five " * (100_000_000 // 24))
    arguments = [path, "-o", tmp_path / "run", "--no-report", "-q", "--set", "vectors.epochs=1"]
    done = command(
        "pretrain",
        "word2vec",
        *arguments,
        "--set",
        "vectors.vector_size=4",
        "--set",
        "vectors.sample=1e-5",
    )
    assert done.code == 0, done.err
    assert len(ft.load(tmp_path / "run")) == 5


def test_folder_without_text(command: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "picture.png").write_bytes(b"\x89PNG")
    assert "folder" in pretrain(command, tmp_path / "folder", tmp_path / "run")


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """The nearest thing to a full disk that needs no disk: the system refuses to write more."""
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_full_disk(command: Command, corpus: Path, tmp_path: Path) -> None:
    """What was done before stays, to go on with."""
    arguments = ["pretrain", "word2vec", corpus, "-o", tmp_path / "run", "-q", "--no-report"]
    settings = ["--set", "tokenizer.min_count=1"]
    with no_file_larger_than(2000):
        done = command(*arguments, *settings)
    assert done.code == 2
    assert "cannot be written" in done.err
    resumed = command(*arguments, *settings, "--resume")
    assert resumed.code == 0, resumed.err


def test_unwritable_output(command: Command, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    sentence = pretrain(command, corpus, tmp_path / "file" / "run")
    assert "cannot be written" in sentence


def test_an_existing_run_is_kept(command: Command, corpus: Path, run: Path) -> None:
    before = (run / "vectors.safetensors").read_bytes()
    done = command("pretrain", "word2vec", corpus, "-o", run, "-q")
    assert done.code == 2
    assert "--overwrite" in done.err
    assert (run / "vectors.safetensors").read_bytes() == before


def test_a_failed_overwrite_brings_the_old_run_back(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    ft.Word2Vec(vector_size=8, min_count=1, epochs=1).fit(corpus, out=folder)
    (tmp_path / "empty.txt").touch()
    arguments = [tmp_path / "empty.txt", "-o", folder, "-q", "--overwrite"]
    assert command("pretrain", "word2vec", *arguments).code == 2
    assert ft.load(folder).vector_size == 8
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    done = command(
        "pretrain",
        "word2vec",
        corpus,
        *arguments[1:],
        "--set",
        "vectors.vector_size=4",
        "--no-report",
    )
    assert done.code == 0, done.err
    assert ft.load(folder).vector_size == 4


def test_a_training_that_fails_brings_the_old_run_back(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    small = [
        "-q",
        "--no-report",
        "--set",
        "tokenizer.min_count=1",
        "--set",
        "vectors.vector_size=8",
    ]
    arguments = ["pretrain", "word2vec", corpus, "-o", folder, *small]
    assert command(*arguments).code == 0
    failed = command(*arguments, "--overwrite", "--set", "vectors.alpha=1e30")
    assert failed.code == 2
    assert "learning rate" in failed.err
    assert ft.load(folder).vector_size == 8
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_patience_needs_held_out_text(command: Command, corpus: Path, tmp_path: Path) -> None:
    settings = ["--set", "vectors.patience=1", "--set", "data.valid_rate=0"]
    sentence = pretrain(command, corpus, tmp_path / "run", *settings)
    assert "data.valid_rate" in sentence


def test_a_folder_with_other_files_is_left_alone(
    command: Command, corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("precious")
    arguments = [corpus, "-o", tmp_path / "thesis", "-q", "--overwrite"]
    done = command("pretrain", "word2vec", *arguments)
    assert done.code == 2
    assert "other files" in done.err
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "precious"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("wrong.txt", b"2 3\na 1 2 3\nb 1 2\n", "line 3"),
        ("repeated.txt", b"3 2\na 1 2\nb 1 2\na 3 4\n", "'a'"),
        ("nan.txt", b"2 2\na 1 2\nb nan 2\n", "'b'"),
        ("cut.bin", b"2 4\na \x00\x00\x80?\x00\x00\x80?", "1 of"),
        ("none.txt", b"", "empty"),
    ],
)
def test_damaged_vector_files(
    command: Command, tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = command("neighbors", tmp_path / name, "a")
    assert done.code == 2, done
    assert name in done.err
    assert "Traceback" not in done.err
    if sentence != "1 of":
        assert sentence in done.err


def test_unknown_setting(command: Command, corpus: Path, tmp_path: Path) -> None:
    sentence = pretrain(command, corpus, tmp_path / "run", "--set", "vectors.windw=3")
    assert "Did you mean 'window'" in sentence
    sentence = pretrain(command, corpus, tmp_path / "run", "--set", "vector.window=3")
    assert "Did you mean 'vectors'" in sentence
    sentence = pretrain(command, corpus, tmp_path / "run", "--set", "window")
    assert "section.setting=value" in sentence


def test_unknown_recipe(command: Command, corpus: Path, tmp_path: Path) -> None:
    done = command("pretrain", "word2vek", corpus, "-o", tmp_path / "run")
    assert done.code == 2
    assert "Did you mean 'word2vec'" in done.err


def test_wrong_budget(command: Command, corpus: Path, tmp_path: Path) -> None:
    assert "10m" in pretrain(command, corpus, tmp_path / "run", "--budget", "soon")


def test_a_defect_is_told_as_one(
    command: Command, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr(ft.WordVectors, "neighbors", broken)
    done = command("neighbors", run, "ship")
    assert done.code == 1
    assert "a defect: RuntimeError: oops" in done.err
