"""A run whose text is read by processes: the bytes of one whose text is read by threads."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from foretext.base.errors import ClusterError, CorpusError, OutputError, SettingError
from foretext.corpus import Corpus
from foretext.corpus.text_shards import TextShards
from foretext.pretraining.pretraining import run_recipe
from foretext.pretraining.tokenizers import learn_tokenizer
from foretext.recipe import Recipe
from foretext.shards import LocalEngine
from foretext.vectors.pair_counts import ShardedPairs

VECTORS = ["vectors.vector_size=8", "vectors.epochs=1", "vectors.workers=1"]
NETWORK = [
    "tokenizer.vocab_size=300",
    "backbone.num_layers=1",
    "backbone.dim=16",
    "backbone.num_heads=2",
    "backbone.max_length=32",
    "objective.row_length=32",
    "training.batch_examples=4",
    "training.steps=1",
    "training.precision='fp32'",
]


@contextmanager
def small_shards() -> Iterator[None]:
    """Cut a small text into several shards."""
    small = partial(TextShards, num_characters=1)
    with (
        patch("foretext.corpus.text_shards.BLOCK", 500),
        patch("foretext.pretraining.pretraining.TextShards", small),
        patch("foretext.pretraining.tokenizers.TextShards", small),
    ):
        yield


@pytest.fixture(autouse=True)
def _small_shards() -> Iterator[None]:
    with small_shards():
        yield


@pytest.fixture
def text(animal_text: Path, tmp_path: Path) -> Path:
    """Several files, which are a shard each at least."""
    folder, content = tmp_path / "texts", animal_text.read_text()
    folder.mkdir()
    for number in range(5):
        part = content[number * 2000 : (number + 1) * 2000]
        (folder / f"{number}.txt").write_text(part)
    return folder


def learned(recipe: str, settings: list[str], text: Path, out: Path, **options: Any) -> None:
    """Learn by a recipe."""
    run_recipe(Recipe.load(recipe, settings), str(text), out, quiet=True, **options)


def kept(run: Path) -> dict[str, bytes]:
    """Return the files of a run that are the same whenever it is learned."""
    names = ("tokenizer.json", "vocabulary.tsv", "vectors.safetensors")
    files = [run / name for name in names if (run / name).exists()]
    files += [path for path in (run / "tokens").rglob("*") if path.is_file()]
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


@pytest.mark.slow
def test_vectors_are_the_same_for_all_numbers_of_workers(text: Path, tmp_path: Path) -> None:
    learned("word2vec", VECTORS, text, tmp_path / "threads")
    expected = kept(tmp_path / "threads")
    assert len(expected) > 6
    for workers in (1, 2, 8):
        out = tmp_path / str(workers)
        learned("word2vec", VECTORS, text, out, engine=LocalEngine(workers))
        assert kept(out) == expected
        assert not (out / "shards").exists()


@pytest.mark.slow
def test_pairs_of_glove_are_the_same(text: Path, tmp_path: Path) -> None:
    files = []
    for name, engine in (("threads", None), ("processes", LocalEngine(2))):
        out = tmp_path / name
        small = partial(ShardedPairs, num_tokens=300)
        with patch("foretext.vectors.pair_counts.ShardedPairs", small):
            learned("glove", VECTORS, text, out, engine=engine)
        assert not (out / "pair-shards").exists()
        counts = {path.name: path.read_bytes() for path in (out / "cooccurrence").iterdir()}
        files.append(kept(out) | counts)
    assert files[0] == files[1]
    assert "counts.bin" in files[0]


def test_a_glove_whose_processes_end_stays(text: Path, tmp_path: Path) -> None:
    out, failing = tmp_path / "run", SettingError("A process that works on the text ended")
    with (
        patch("foretext.vectors.pair_counts.merge_runs", side_effect=failing),
        pytest.raises(SettingError),
    ):
        learned("glove", VECTORS, text, out, engine=LocalEngine(1))
    assert len(list((out / "pair-shards").glob("*/shard-*"))) == 1
    with patch("foretext.shards.local.fill_shard", wraps=_fill_shard) as filled:
        learned("glove", VECTORS, text, out, engine=LocalEngine(1), resume=True)
    assert not filled.called
    assert not (out / "pair-shards").exists()


def test_a_network_reads_the_same_ids(text: Path, tmp_path: Path) -> None:
    learned("gpt", NETWORK, text, tmp_path / "threads")
    learned("gpt", NETWORK, text, tmp_path / "processes", engine=LocalEngine(1))
    assert kept(tmp_path / "processes") == kept(tmp_path / "threads")
    assert not (tmp_path / "processes" / "shards").exists()


KILLED = """
import signal, sys
from pathlib import Path
from foretext.shards import LocalEngine
from tests.pretraining.test_text_by_shards import VECTORS, learned, small_shards
real, left = LocalEngine.run, iter(range(int(sys.argv[3])))
def stopped(self, work, shards):
    for done in real(self, work, shards):
        if next(left, None) is None:
            print("now", flush=True)
            signal.pause()
        yield done
LocalEngine.run = stopped
with small_shards():
    learned("word2vec", VECTORS, Path(sys.argv[1]), Path(sys.argv[2]), engine=LocalEngine(2))
"""


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("num_shards", [2, 9])  # while words are counted, while text is encoded
def test_a_killed_run_goes_on(text: Path, tmp_path: Path, num_shards: int) -> None:
    with patch("foretext.shards.local.fill_shard", wraps=_fill_shard) as filled:
        learned("word2vec", VECTORS, text, tmp_path / "whole", engine=LocalEngine(1))
    num_all = filled.call_count
    out = tmp_path / "killed"
    program = [sys.executable, "-c", KILLED, str(text), str(out), str(num_shards)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.kill()
    there = list((out / "shards").glob("*/shard-*"))
    assert len(there) > num_shards
    shutil.rmtree(there[0])  # vanished
    options: dict[str, Any] = {"engine": LocalEngine(1)}
    with pytest.raises(OutputError, match="go on with --resume"):
        learned("word2vec", VECTORS, text, out, **options)
    with patch("foretext.shards.local.fill_shard", wraps=_fill_shard) as filled:
        learned("word2vec", VECTORS, text, out, resume=True, **options)
    assert 1 <= filled.call_count <= num_all - len(there) + 1
    assert kept(out) == kept(tmp_path / "whole")
    assert not (out / "shards").exists()


def test_a_run_whose_processes_end_stays(text: Path, tmp_path: Path) -> None:
    real, calls = _fill_shard, iter(range(3))

    def failing(*arguments: Any) -> None:
        if next(calls, None) is None:
            raise SettingError("A process that works on the text ended")
        real(*arguments)

    out = tmp_path / "run"
    with patch("foretext.shards.local.fill_shard", failing), pytest.raises(SettingError):
        learned("word2vec", VECTORS, text, out, engine=LocalEngine(1))
    assert len(list((out / "shards").glob("*/shard-*"))) == 3
    learned("word2vec", VECTORS, text, out, engine=LocalEngine(1), resume=True)
    assert (out / "vectors.safetensors").exists()


def test_a_run_whose_text_will_not_do_leaves_nothing(text: Path, tmp_path: Path) -> None:
    settings = [*VECTORS, "tokenizer.min_count=1000000"]
    with pytest.raises(CorpusError, match="lower min_count"):
        learned("word2vec", settings, text, tmp_path / "run", engine=LocalEngine(1))
    assert not (tmp_path / "run").exists()


def on_cluster() -> LocalEngine:
    """Return an engine that says it is a cluster, where no cluster is needed."""
    engine = LocalEngine(1)
    engine.cluster = "auto"
    return engine


@pytest.mark.slow
def test_a_cluster_without_room_leaves_the_encoded_text(text: Path, tmp_path: Path) -> None:
    settings, out = [*VECTORS, "vectors.processes=2"], tmp_path / "run"
    full = patch(
        "foretext.vectors.replicas.training.RayReplicaGroup", side_effect=ClusterError("Full.")
    )
    with full, pytest.raises(ClusterError):
        learned("word2vec", settings, text, out, engine=on_cluster())
    assert (out / "tokens" / "train" / "ids.bin").is_file()
    learned("word2vec", settings, text, out, engine=LocalEngine(1), resume=True)
    assert (out / "vectors.safetensors").exists()


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "word", "words"])
def test_a_tokenizer_is_the_same(text: Path, tmp_path: Path, kind: str) -> None:
    name = "max_vocab_size" if kind == "words" else "vocab_size"
    corpus = Corpus(text)
    paths = [tmp_path / place / "tokenizer.json" for place in ("threads", "processes")]
    learn_tokenizer(kind, {name: 300}, corpus, paths[0])
    learn_tokenizer(kind, {name: 300}, corpus, paths[1], engine=LocalEngine(1))
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert not (tmp_path / "processes" / "shards").exists()


def test_refused_with_a_sentence(text: Path, tmp_path: Path) -> None:
    engine = LocalEngine(1)
    with pytest.raises(SettingError, match="leave out --budget, or --workers"):
        learned("word2vec", VECTORS, text, tmp_path / "run", engine=engine, budget=9)
    with pytest.raises(SettingError, match="An autoencoder reads no text"):
        learned("autoencoder", [], text, tmp_path / "run", engine=engine)
    with pytest.raises(SettingError, match="'unigram' learns from a sample"):
        learn_tokenizer("unigram", {}, Corpus(text), tmp_path / "t.json", engine=engine)
    assert not (tmp_path / "run").exists()


def _fill_shard(*arguments: Any) -> None:
    from foretext.shards.work import fill_shard

    fill_shard(*arguments)
