"""The stages that are killed: commands whose result is a folder, small enough for a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["STAGES", "Stage", "write_inputs"]


class Stage(NamedTuple):
    """A command whose result is a folder, or a file."""

    name: str
    arguments: Callable[[Path], list[str]]  # of the folder with the inputs; without the output
    before: Callable[[Path], list[str]] | None = None  # a command whose result is replaced
    is_run: bool = True  # may be resumed
    has_page: bool = True
    by_time: bool = False  # its result depends on how fast it was; it is not compared
    report: bool = False  # with its page, which takes longer than all the rest


def _vectors(recipe: str, *settings: str) -> Callable[[Path], list[str]]:
    chosen = ("vectors.workers=1", "tokenizer.min_count=1", "vectors.vector_size=8", *settings)
    return lambda folder: ["pretrain", recipe, str(folder / "text.txt"), *_set(chosen)]


def _language_model(recipe: str, *settings: str) -> Callable[[Path], list[str]]:
    chosen = (
        "backbone.num_layers=1", "backbone.dim=16", "backbone.num_heads=2", "training.steps=6",
        "backbone.max_length=32", "training.batch_examples=8", "training.valid_steps=3",
        "tokenizer.vocab_size=120", "training.checkpoint_seconds=0", *settings,
    )  # fmt: skip
    return lambda folder: ["pretrain", recipe, str(folder / "text.txt"), *_set(chosen)]


def _task(task: str, base: str, *settings: str) -> Callable[[Path], list[str]]:
    def arguments(folder: Path) -> list[str]:
        from tests.task_files import TaskFiles

        files = TaskFiles(folder)
        given = ["finetune", task, base, str(files.train(task)), "--test", str(files.test(task))]
        return [*given, *_set(settings)]

    return arguments


def _network(task: str, base: str, *settings: str) -> Callable[[Path], list[str]]:
    shape = {
        "lstm": ("backbone.vector_size=8", "backbone.dim=8"),
        "textcnn": ("backbone.vector_size=8", "backbone.num_maps=4", "backbone.widths=[1, 2]"),
        "transformer": (
            "backbone.num_layers=1", "backbone.dim=16", "backbone.num_heads=2",
            "backbone.max_length=48",
        ),
    }  # fmt: skip
    training = ("training.steps=4", "training.batch_examples=8", "training.checkpoint_seconds=0")
    return _task(task, base, *shape[base], *training, *settings)


STAGES = [
    Stage(
        "word2vec",
        _vectors("word2vec", "vectors.epochs=1", "vectors.checkpoint_seconds=0"),
    ),
    Stage(
        "word2vec, text by shards",
        lambda folder: [*_vectors("word2vec", "vectors.epochs=1")(folder), "--workers", "1"],
    ),
    Stage(
        "word2vec in two processes",
        _vectors("word2vec", "vectors.processes=2", "vectors.checkpoint_seconds=0"),
    ),
    Stage("report", _vectors("word2vec", "vectors.epochs=1"), report=True),
    Stage("doc2vec", _vectors("doc2vec", "vectors.epochs=1")),
    Stage("fasttext", _vectors("fasttext", "vectors.epochs=1", "vectors.bucket=500")),
    Stage("glove", _vectors("glove", "vectors.epochs=2", "vectors.checkpoint_seconds=0")),
    Stage(
        "glove, pairs by shards",
        lambda folder: [*_vectors("glove", "vectors.epochs=2")(folder), "--workers", "1"],
    ),
    Stage(
        "lda",
        lambda folder: [
            "pretrain", "lda", str(folder / "text.txt"),
            *_set((
                "topics.num_topics=3", "topics.epochs=2", "topics.batch_documents=2",
                "topics.most_documents=1", "topics.checkpoint_seconds=0", "tokenizer.min_count=1",
            )),
        ],
    ),
    Stage("bert", _language_model("bert")),
    Stage("bert, nothing held out", _language_model("bert", "data.valid_rate=0.0")),
    Stage("electra", _language_model("electra")),
    Stage("gpt", _language_model("gpt", "training.keep=best", "tokenizer.vocab_size=300")),
    Stage(
        "autoencoder",
        lambda folder: [
            "pretrain", "linear-autoencoder", str(folder / "images.npy"),
            *_set(("training.epochs=1", "autoencoder.dim=4")),
        ],
    ),
    Stage(
        "tokenizer",
        lambda folder: ["tokenizer", str(folder / "text.txt"), "--vocab-size", "300"],
        is_run=False,
    ),
    Stage(
        "word tokenizer",
        lambda folder: ["tokenizer", str(folder / "text.txt"), "--kind", "words"],
        is_run=False,
    ),
    Stage("classification", _network("classification", "textcnn")),
    Stage("matching", _network("matching", "lstm")),
    Stage("tagging", _network("tagging", "lstm")),
    Stage("span_qa", _network("span_qa", "transformer")),
    Stage(
        "teacher",
        lambda folder: [
            *_network("classification", "textcnn")(folder),
            "--teacher", "self", "--unlabelled", str(folder / "text.txt"),
        ],
    ),
    Stage("seeds", _network("classification", "lstm", "finetuning.seeds=2")),
    Stage(
        "search",
        lambda folder: [*_network("classification", "textcnn")(folder), "--search", "0.3s"],
        by_time=True,
    ),
    Stage(
        "search index",
        lambda folder: [
            "index", str(folder / "vectors.safetensors"), str(folder / "text.txt"),
            "--approximate",
        ],
        has_page=False,
    ),
    Stage("fasttext classifier", _task("classification", "fasttext", "classifier.workers=1")),
    Stage("linear classifier", _task("classification", "linear")),
    Stage("linear matcher", _task("matching", "linear")),
    Stage(
        "linear tagger",
        lambda folder: [
            *_task("tagging", "linear")(folder),
            "--with", str(folder / "vectors.safetensors"),
        ],
    ),
    Stage(
        "embedding classifier",
        lambda folder: [
            *_task("classification", "embeddings")(folder),
            "--with", str(folder / "vectors.safetensors"),
        ],
    ),
    Stage(
        "auto",
        lambda folder: [
            *_task("classification", "auto")(folder),
            "--unlabelled", str(folder / "long.txt"),
        ],
    ),
    Stage(
        "overwrite",
        _vectors("word2vec", "vectors.epochs=1", "vectors.seed=2"),
        before=_vectors("word2vec", "vectors.epochs=1"),
    ),
    Stage(
        "overwrite a task",
        _network("classification", "textcnn"),
        before=_vectors("word2vec", "vectors.epochs=1"),
    ),
]  # fmt: skip


def _set(settings: Sequence[str]) -> list[str]:
    return [part for setting in settings for part in ("--set", setting)]


def write_inputs(folder: Path) -> None:
    """Write what the stages learn from."""
    import numpy as np

    from foretext.vectors.word_vectors import WordVectors
    from tests.networks import sentences
    from tests.task_files import write_task_files

    (folder / "text.txt").write_text(sentences(120), encoding="utf-8")
    (folder / "long.txt").write_text(sentences(4000), encoding="utf-8")  # vectors learn of it
    np.save(folder / "images.npy", np.random.default_rng(0).random((40, 6, 6), np.float32))
    write_task_files(folder)
    vectors = np.random.default_rng(0).random((3, 4), np.float32)
    WordVectors(["the", "dog", "cat"], vectors).save(folder / "vectors.safetensors")
