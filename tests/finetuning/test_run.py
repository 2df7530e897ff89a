"""From a file of labelled rows to a folder that answers: every task, on all it is learned on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import CorpusError, Interrupted, OutputError, SettingError
from foretext.data.rows import PairsConfig, RowsConfig
from foretext.finetuning import network
from foretext.finetuning import run as road
from foretext.finetuning.recipe import TaskRecipe
from foretext.interop.sentence_transformers import SentenceEncoding, write_modules
from tests.task_files import SMALL, TaskFiles, small_settings

PROMISED = {
    "README.md", "config.json", "metrics.jsonl", "model.safetensors", "recipe.toml",
    "tokenizer.json", "train.log",
}  # fmt: skip
ON_WORDS = ("textcnn", "lstm", "vectors")
PAIRS_OF_ALL = [
    *(("classification", base) for base in ("rnn", "gru", "word2vec")),
    *((task, base) for task in ("classification", "matching", "tagging") for base in ON_WORDS),
    *(
        (task, base)
        for task in ("classification", "matching", "tagging", "span_qa")
        for base in ("transformer", "bert", "gpt")
    ),
]


def facts_of(run: Path) -> dict[str, Any]:
    return RunFolder(run).facts()


def weights_of(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


def state_of(backbone: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: weight.clone() for name, weight in backbone.state_dict().items()}


def asked(model: Any, path: Path) -> list[Any]:
    """What a model can be asked of the rows of a file."""
    rows = model.task.read(path)
    if hasattr(rows[0], "tokens"):
        return [row.tokens for row in rows]
    if hasattr(rows[0], "context"):
        return rows
    return [(row.text_a, row.text_b) if hasattr(row, "text_a") else row.text for row in rows]


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("task", "base"), PAIRS_OF_ALL)
def test_a_run_of_every_kind(
    task: str, base: str, task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    run, test = tmp_path / "run", task_files.test(task)
    model = ft.finetune(
        task, bases.get(base, base), task_files.train(task), run,
        test=test, settings=small_settings(base),
    )  # fmt: skip
    names = {path.name for path in run.iterdir()}
    assert names >= PROMISED
    assert not names & {"checkpoints", "seeds"}
    kept, facts = ft.load(run), facts_of(run)
    assert type(kept) is type(model)
    for own, theirs in zip(
        model.predict_proba(asked(model, test)),
        kept.predict_proba(asked(model, test)),
        strict=True,
    ):
        np.testing.assert_allclose(own, theirs, atol=1e-6)
    figures = kept.evaluate(test)
    assert figures[kept.judged_by] == facts["test"][kept.judged_by]
    assert (facts["kind"], facts["task"]) == (task, task)
    assert facts["baseline"]["test"][kept.judged_by] >= 0
    origins = {"bert": "pretrained", "gpt": "pretrained", "vectors": "vectors"}
    drawn = "vectors" if base == "word2vec" else "scratch"
    assert facts["origin"] == origins.get(base, drawn)
    assert RunFolder(run).kind == task


def test_a_task_is_learned(task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path) -> None:
    files = task_files.train("tagging"), task_files.test("tagging")
    model = ft.finetune(
        "tagging", bases["bert"], files[0], tmp_path / "run",
        test=files[1], settings=small_settings("bert", epochs=12.0),
    )  # fmt: skip
    assert facts_of(tmp_path / "run")["test"]["f1"] > 0.95
    spans = model.spans(["the happy cow moos in the evening"])[0]
    assert [(span.label, span.text) for span in spans] == [("PET", "happy cow"), ("NOISE", "moos")]


def test_pairs_with_scores(task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path) -> None:
    rows = PairsConfig(score="score")
    files = task_files.train("matching"), task_files.test("matching")
    for base in ("bert", "textcnn"):
        run = tmp_path / base
        model = ft.finetune(
            "matching", bases.get(base, base), files[0], run,
            test=files[1], rows=rows, settings=small_settings(base),
        )  # fmt: skip
        pairs = asked(model, files[1])
        np.testing.assert_allclose(ft.load(run).predict(pairs), model.predict(pairs), atol=1e-6)
        assert -1 <= facts_of(run)["test"]["spearman"] <= 1
        assert "pearson" in facts_of(run)["baseline"]["test"]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["bert", "gpt", "vectors", "word2vec"])
def test_an_opened_base_is_learned_on_as_its_folder_and_stays(
    kind: str, task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    opened = ft.load(bases[kind])
    is_network = kind in ("bert", "gpt")
    before = state_of(opened.backbone) if is_network else opened.vectors.copy()
    settings = {**small_settings(kind), "tokenizer": {} if is_network else {"lowercase": True}}
    for base, name in ((opened, "opened"), (bases[kind], "path"), (opened, "again")):
        ft.finetune(
            "classification", base, task_files.train("classification"), tmp_path / name,
            settings=settings,
        )  # fmt: skip
    assert weights_of(tmp_path / "opened") == weights_of(tmp_path / "again")
    assert weights_of(tmp_path / "opened") == weights_of(tmp_path / "path")
    if not is_network:
        np.testing.assert_array_equal(opened.vectors, before)
        return
    after = opened.backbone.state_dict()
    assert all(torch.equal(after[name], weight) for name, weight in before.items())
    assert {m.p for m in opened.backbone.modules() if isinstance(m, torch.nn.Dropout)} == {0.0}


@pytest.mark.parametrize("base", ["bert", "gpt", "textcnn"])
def test_another_task_is_a_base(
    base: str, task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    first = ft.finetune(
        "classification", bases.get(base, base), task_files.train("classification"),
        tmp_path / "first", settings=small_settings(base),
    )  # fmt: skip
    before = state_of(first.base.backbone)
    for name, given in (("opened", first), ("path", tmp_path / "first")):
        ft.finetune(
            "matching", given, task_files.train("matching"), tmp_path / name,
            settings=small_settings(None),
        )  # fmt: skip
    assert weights_of(tmp_path / "opened") == weights_of(tmp_path / "path")
    assert facts_of(tmp_path / "path")["origin"] == "pretrained"
    after = first.base.backbone.state_dict()
    assert all(torch.equal(after[name], weight) for name, weight in before.items())


def test_fresh_keeps_the_shape_alone(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    base = ft.load(bases["bert"])
    models = {}
    for fresh in (False, True):
        settings = small_settings("bert", learning_rate=1e-9)
        models[fresh] = ft.finetune(
            "classification", base, task_files.train("classification"), tmp_path / str(fresh),
            settings={**settings, "finetuning": {"fresh": fresh}},
        )  # fmt: skip
    embedding = base.backbone.embedding
    assert torch.allclose(models[False].base.backbone.embedding, embedding, atol=1e-5)
    assert not torch.allclose(models[True].base.backbone.embedding, embedding, atol=1e-2)
    assert facts_of(tmp_path / "True")["origin"] == "scratch"


def test_several_seeds(task_files: TaskFiles, tmp_path: Path) -> None:
    run, files = tmp_path / "run", [task_files.train("classification")]
    files.append(task_files.test("classification"))
    settings = {**small_settings("textcnn"), "finetuning": {"seeds": 3}}
    recipe = TaskRecipe(
        "classification", "textcnn", files[0], valid=files[1], test=files[0], settings=settings
    )
    learned = road.run_finetuning(recipe, run)
    seeds = facts_of(run)["seeds"]
    assert seeds["seeds"] == [1, 2, 3]
    for part in ("valid", "test"):
        each = np.array(seeds[part]["each"])
        assert len(each) == 3
        assert seeds[part]["mean"] == pytest.approx(each.mean())
        spread = np.sqrt(np.square(each - each.mean()).sum() / 2)
        assert seeds[part]["deviation"] == pytest.approx(spread)
    assert learned.facts["valid"]["accuracy"] == max(seeds["valid"]["each"])
    assert ft.load(run).evaluate(files[1])["accuracy"] == max(seeds["valid"]["each"])
    assert not (run / "seeds").exists()
    logs = [path.name for path in run.glob("metrics*.jsonl")]
    assert sorted(logs) == ["metrics-seed-2.jsonl", "metrics-seed-3.jsonl", "metrics.jsonl"]
    assert "± " in (run / "README.md").read_text()
    alone = tmp_path / "alone"
    ft.finetune(
        "classification", "textcnn", files[0], alone, valid=files[1],
        settings=small_settings("textcnn", seed=2),
    )  # fmt: skip
    assert facts_of(alone)["valid"]["accuracy"] == seeds["valid"]["each"][1]


def test_a_budget_ends_the_training(task_files: TaskFiles, tmp_path: Path) -> None:
    run = tmp_path / "run"
    settings = {"backbone": SMALL["textcnn"], "finetuning": {"seeds": 2}}
    train = task_files.train("classification")
    began = time.monotonic()
    ft.finetune("classification", "textcnn", train, run, budget="4s", settings=settings)
    assert 2.0 < time.monotonic() - began < 8.0
    first, second = (
        json.loads((run / name).read_text().splitlines()[-1])["time"]
        for name in ("metrics.jsonl", "metrics-seed-2.jsonl")
    )
    assert first == pytest.approx(second, rel=0.5)
    assert 1.0 < first + second < 4.0


def test_the_baseline_stands_beside(task_files: TaskFiles, tmp_path: Path) -> None:
    files = task_files.train("classification"), task_files.test("classification")
    for baseline in (True, False):
        run = tmp_path / str(baseline)
        settings = {**small_settings("textcnn"), "finetuning": {"baseline": baseline}}
        ft.finetune("classification", "textcnn", files[0], run, test=files[1], settings=settings)
        card = (run / "README.md").read_text()
        assert ("TF-IDF and logistic regression" in card) is baseline
        assert (facts_of(run)["baseline"] is not None) is baseline


def test_what_no_baseline_learns_is_kept_all_the_same(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    """No word of these texts is one to the baseline."""
    train = tmp_path / "marks.tsv"
    train.write_text("text\tlabel\n" + "! . !\tloud\n? . ?\tlost\n" * 10)
    run = tmp_path / "run"
    ft.finetune("classification", bases["bert"], train, run, settings=small_settings("bert"))
    assert facts_of(run)["baseline"] is None
    assert "there is no baseline: " in (run / "train.log").read_text()

    settings = {**small_settings("bert"), "finetuning": {"ensemble": True, "valid_rate": 0.2}}
    alone = ft.finetune("classification", bases["bert"], train, tmp_path / "b", settings=settings)
    assert alone.ensemble is None
    assert "so the network answers alone" in (tmp_path / "b" / "train.log").read_text()


def test_probabilities_are_calibrated(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    settings = {**small_settings("bert"), "finetuning": {"calibrate": True}}
    files = task_files.train("classification"), task_files.test("classification")
    model = ft.finetune("classification", bases["bert"], files[0], run, settings=settings)
    assert model.temperature != 1.0
    kept = ft.load(run)
    assert kept.temperature == pytest.approx(model.temperature)
    told = kept.predict_proba(asked(kept, files[1]))
    np.testing.assert_allclose(told, model.predict_proba(asked(model, files[1])), atol=1e-6)
    kept.temperature = 1.0
    assert np.abs(told - kept.predict_proba(asked(kept, files[1]))).max() > 1e-4


def test_calibration_is_refused_before_anything_is_trained(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    few = tmp_path / "few.tsv"
    few.write_text("text\tlabel\n" + "a cat\tcat\na dog\tdog\n" * 5)
    asks = {"finetuning": {"calibrate": True}}
    for task, train, rows, error, sentence in (
        ("tagging", None, None, SettingError, "calibrate fits the probabilities of labels"),
        ("matching", None, PairsConfig(score="score"), SettingError, "of which one is right"),
        ("classification", few, None, CorpusError, "too few rows to hold some out and calibrate"),
    ):
        with pytest.raises(error, match=sentence):
            ft.finetune(
                task, bases["bert"], train or task_files.train(task), tmp_path / "run",
                rows=rows, settings=asks,
            )  # fmt: skip
        assert not (tmp_path / "run").exists()


def test_a_network_answers_together_with_its_baseline(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    files = task_files.train("classification"), task_files.test("classification")
    settings = {**small_settings("bert"), "finetuning": {"ensemble": True, "seeds": 2}}
    model = ft.finetune(
        "classification", bases["bert"], files[0], run, test=files[1], settings=settings
    )
    facts, kept = facts_of(run), ft.load(run)
    assert facts["ensemble"] == model.ensemble.weights._asdict()
    told = kept.predict_proba(asked(kept, files[1]))
    np.testing.assert_allclose(told, model.predict_proba(asked(model, files[1])), atol=1e-6)
    assert kept.evaluate(files[1])["accuracy"] == facts["test"]["accuracy"]
    kept.ensemble = None
    alone = kept.evaluate(files[1])["accuracy"]
    assert alone == facts["network"]["test"]["accuracy"]
    assert alone in facts["seeds"]["test"]["each"]
    assert "the network alone, test" in (run / "README.md").read_text()
    assert "the linear model" in (run / "train.log").read_text()


def test_an_ensemble_is_refused_before_anything_is_trained(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    few = tmp_path / "few.tsv"
    few.write_text("text\tlabel\n" + "a cat\tcat\na dog\tdog\n" * 5)
    for task, train, others, error, sentence in (
        ("tagging", None, {}, SettingError, "ensemble is for classification, not for tagging"),
        ("classification", None, {"baseline": False}, SettingError, "baseline = false does not go"),
        ("classification", None, {"calibrate": True}, SettingError, "calibrate = true does not go"),
        ("classification", few, {}, CorpusError, "too few rows to hold some out and weigh"),
    ):
        with pytest.raises(error, match=sentence):
            ft.finetune(
                task, bases["bert"], train or task_files.train(task), tmp_path / "run",
                settings={"finetuning": {"ensemble": True, **others}},
            )  # fmt: skip
        assert not (tmp_path / "run").exists()


def test_shared_tokens_are_kept_and_never_frozen(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    settings = {**small_settings("bert"), "task": {"shared_tokens": True}}
    model = ft.finetune(
        "matching", bases["bert"], task_files.train("matching"), tmp_path / "run", settings=settings
    )
    pairs = [("the dog barks", "a dog"), ("the dog barks", "a cat")]
    again = ft.load(tmp_path / "run")
    np.testing.assert_array_equal(again.predict_proba(pairs), model.predict_proba(pairs))
    assert again.base.backbone.config.num_segments == 4
    for frozen in ({"freeze": "embeddings"}, {"freeze_layers": 1}):
        with pytest.raises(
            SettingError, match=r"marks of tokens .task.shared_tokens, task.word_boundaries. are"
        ):
            ft.finetune(
                "matching", bases["bert"], task_files.train("matching"), tmp_path / "frozen",
                settings={"task": {"shared_tokens": True}, "training": frozen},
            )  # fmt: skip


@pytest.mark.parametrize("task", ["matching", "span_qa"])
def test_small_networks_mark_shared_tokens_by_default(
    task: str, task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    """The choice is said, kept in the recipe, and left out where embeddings cannot learn it."""
    chosen = {}
    frozen = {"training": {"freeze": "embeddings"}}
    for name, more in (
        ("run", {}),
        ("frozen", frozen),
        ("still", {"training": {"freeze": "vectors"}}),
        ("asked", {"task": {"shared_tokens": False}}),
    ):
        settings = small_settings("bert")
        settings = {**settings, **more, "training": settings["training"] | more.get("training", {})}
        ft.finetune(task, bases["bert"], task_files.train(task), tmp_path / name, settings=settings)
        recipe = tomllib.loads((tmp_path / name / "recipe.toml").read_text())
        log = (tmp_path / name / "train.log").read_text()
        chosen[name] = (recipe["task"]["shared_tokens"], log.count("was chosen"))
    assert chosen == {
        "run": (True, 1), "frozen": (False, 1), "still": (True, 1), "asked": (False, 0),
    }  # fmt: skip


def test_a_sentence_encoder_learns_scores_as_cosines(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    encoder = tmp_path / "encoder"
    shutil.copytree(bases["bert"], encoder)
    write_modules(encoder, SentenceEncoding("mean", text_length=24), 32)
    for name, rows, mode in (("scores", {"score": "score"}, "siamese"), ("labels", {}, "pair")):
        run = tmp_path / name
        ft.finetune(
            "matching", encoder, task_files.train("matching"), run,
            settings=small_settings("bert"), rows=PairsConfig(**rows),
        )  # fmt: skip
        assert tomllib.loads((run / "recipe.toml").read_text())["task"]["mode"] == mode
        assert f"task.mode={mode} was chosen: " in (run / "train.log").read_text()
    assert (tmp_path / "scores" / "modules.json").is_file()  # it still is a sentence encoder
    again = ft.finetune(
        "matching", tmp_path / "scores", task_files.train("matching"), tmp_path / "again",
        settings=small_settings("bert"), rows=PairsConfig(score="score"),
    )  # fmt: skip
    assert again.head.mode == "siamese"


def test_several_labels_a_text(tmp_path: Path) -> None:
    texts = [("a ship and a judge", "sea|law"), ("a ship", "sea"), ("a judge", "law")] * 10
    lines = [f"{text}\t{labels}\n" for text, labels in texts]
    (tmp_path / "rows.tsv").write_text("".join(["text\tlabel\n", *lines]))
    marked = [
        " ".join(f"__label__{label}" for label in labels.split("|")) + f" {text}\n"
        for text, labels in texts
    ]
    (tmp_path / "rows.txt").write_text("".join(marked))
    settings = small_settings("textcnn", epochs=30.0, learning_rate=0.03)
    models = [
        ft.finetune(
            "classification", "textcnn", tmp_path / name, tmp_path / f"run-{name}",
            rows=rows, test=tmp_path / name, settings=settings,
        )
        for name, rows in (("rows.tsv", RowsConfig(label_separator="|")), ("rows.txt", None))
    ]  # fmt: skip
    for name, model in zip(("rows.tsv", "rows.txt"), models, strict=True):
        assert model.predict([text for text, _ in texts[:3]]).tolist() == [
            ("law", "sea"),
            ("sea",),
            ("law",),
        ]
        assert facts_of(tmp_path / f"run-{name}")["test"]["micro_f1"] == 1.0
        assert ft.load(tmp_path / f"run-{name}").is_multi_label
    assert weights_of(tmp_path / "run-rows.tsv") == weights_of(tmp_path / "run-rows.txt")


def test_a_warning_about_rows_that_are_cut(
    task_files: TaskFiles,
    bases: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = {**small_settings("bert"), "task": {"max_length": 8}}
    train = task_files.train("matching")
    ft.finetune("matching", bases["bert"], train, tmp_path / "run", settings=settings, quiet=False)
    told = capsys.readouterr().err
    assert "rows to learn from are longer than the model reads at once" in told
    assert facts_of(tmp_path / "run")["cut"] == 60


def test_a_warning_about_rows_that_the_base_cannot_read(
    bases: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("label\ttext\n" + "a\tЖ Ж Ж\nb\tthe Ж dog\n" * 30, encoding="utf-8")
    settings = small_settings("bert")
    ft.finetune(
        "classification", bases["bert"], rows, tmp_path / "run", settings=settings, quiet=False
    )
    assert (
        "of the tokens of the rows are unknown to the tokenizer of the base"
        in capsys.readouterr().err
    )


def test_a_warning_about_chinese_texts_without_blanks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("label\ttext\n" + "a\t甲乙丙丁\nb\t戊己庚辛\n" * 20, encoding="utf-8")
    settings = {"classifier": {"epochs": 1}}
    told = []
    for name in ("blanks", "whitespace", "chinese_characters", "auto"):
        settings["classifier"] |= {"pre_tokenizer": name}
        ft.finetune(
            "classification", "fasttext", rows, tmp_path / name, settings=settings, quiet=False
        )
        told.append("the texts are Chinese" in capsys.readouterr().err)
    assert told == [True, True, False, False]


class TestResume:
    """What a training that was interrupted ends in is what it would have been."""

    SETTINGS = (
        "training.epochs=6.0", "training.learning_rate=5e-3", "training.batch_examples=8",
        "training.precision='fp32'", "training.checkpoint_seconds=0.0",
    )  # fmt: skip

    def command(self, base: Path, files: TaskFiles, run: Path, *flags: str) -> list[str]:
        start = [sys.executable, "-m", "foretext", "finetune", "classification", str(base)]
        settings = [part for setting in self.SETTINGS for part in ("--set", setting)]
        train = str(files.train("classification"))
        return [*start, train, "-o", str(run), "--no-report", *settings, *flags]

    def finetune(
        self, base: Path, files: TaskFiles, run: Path, seeds: int, epochs: float = 6.0, **more: Any
    ) -> Any:
        """Do the same here; how often checkpoints are saved is free to change."""
        often = {} if epochs == 6.0 else {"checkpoint_seconds": 0.0}
        settings = small_settings(None, epochs=epochs, batch_examples=8, **often)
        if seeds > 1:
            settings["finetuning"] = {"seeds": seeds}
        train = str(files.train("classification"))
        return ft.finetune("classification", str(base), train, run, settings=settings, **more)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("how", "seeds", "awaited"),
        [
            (signal.SIGTERM, 1, "checkpoints/seed-1/step-*"),
            (signal.SIGKILL, 1, "checkpoints/seed-1/step-*"),
            (signal.SIGKILL, 2, "checkpoints/seed-2/step-*"),
        ],
    )
    def test_a_killed_run_ends_in_the_same_bits(
        self,
        how: signal.Signals,
        seeds: int,
        awaited: str,
        task_files: TaskFiles,
        bases: dict[str, Path],
        tmp_path: Path,
    ) -> None:
        whole, killed = tmp_path / "whole", tmp_path / "killed"
        self.finetune(bases["bert"], task_files, whole, seeds)
        flags = ("--seeds", str(seeds)) if seeds > 1 else ()
        process = subprocess.Popen(
            self.command(bases["bert"], task_files, killed, *flags),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": str(torch.get_num_threads())},
        )  # fmt: skip
        while not list(killed.glob(awaited)):
            assert process.poll() is None, process.stdout and process.stdout.read()
            time.sleep(0.01)
        process.send_signal(how)
        told, _ = process.communicate(timeout=300)
        if how == signal.SIGTERM:
            assert process.returncode == 130
            assert b"SIGTERM stopped the training; go on with --resume" in told
        assert not RunFolder(killed).finished
        assert (killed / "checkpoints" / "seeds" / "1").is_dir() == (seeds > 1)
        self.finetune(bases["bert"], task_files, killed, seeds, resume=True)
        assert weights_of(whole) == weights_of(killed)
        assert facts_of(whole)["seeds"] == facts_of(killed)["seeds"]
        assert not {path.name for path in killed.iterdir()} & {"checkpoints", "seeds"}

    @pytest.fixture
    def stopped(
        self,
        task_files: TaskFiles,
        bases: dict[str, Path],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> Path:
        """A run that was interrupted once it had a checkpoint."""
        with monkeypatch.context() as patched:
            patched.setattr(road, "keep", _interrupt)
            with pytest.raises(Interrupted):
                self.finetune(bases["bert"], task_files, tmp_path / "run", 1, epochs=0.5)
        return tmp_path / "run"

    def test_a_resume_with_other_settings_is_refused(
        self, stopped: Path, task_files: TaskFiles, bases: dict[str, Path]
    ) -> None:
        sentence = r"began with finetuning\.seeds = None, not 2; resume with the same settings"
        with pytest.raises(SettingError, match=sentence):
            self.finetune(bases["bert"], task_files, stopped, 2, 0.5, resume=True)
        with pytest.raises(SettingError, match=r"began with run\.base = '.*bert', not '.*gpt'"):
            self.finetune(bases["gpt"], task_files, stopped, 1, 0.5, resume=True)
        assert list(stopped.glob("checkpoints/seed-1/step-*"))

    def test_a_resume_with_other_rows_is_refused(
        self, stopped: Path, task_files: TaskFiles, bases: dict[str, Path]
    ) -> None:
        train = task_files.train("classification")
        rows, changed = train.read_text(), train.stat()
        try:
            train.write_text(rows + rows.splitlines()[-1] + "\n")
            with pytest.raises(SettingError, match="learns from have changed since it began"):
                self.finetune(bases["bert"], task_files, stopped, 1, 0.5, resume=True)
        finally:
            train.write_text(rows)
            os.utime(train, ns=(changed.st_atime_ns, changed.st_mtime_ns))

    def test_an_unfinished_run_is_neither_begun_again_nor_opened(
        self, stopped: Path, task_files: TaskFiles, bases: dict[str, Path]
    ) -> None:
        with pytest.raises(OutputError, match="an unfinished run; go on with --resume"):
            self.finetune(bases["bert"], task_files, stopped, 1, 0.5)
        self.finetune(bases["bert"], task_files, stopped, 1, 0.5, resume=True)
        with pytest.raises(OutputError, match="a finished run; there is nothing to resume"):
            self.finetune(bases["bert"], task_files, stopped, 1, 0.5, resume=True)

    def test_without_a_run_there_is_nothing_to_resume(
        self, task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
    ) -> None:
        with pytest.raises(OutputError, match="holds no run to resume"):
            self.finetune(bases["bert"], task_files, tmp_path / "none", 1, resume=True)


def _interrupt(*given: object) -> None:
    raise Interrupted("SIGTERM stopped it.")


class TestWhatIsThere:
    """A finished run is there until another one has taken its place."""

    @pytest.fixture
    def run(self, task_files: TaskFiles, tmp_path: Path) -> Path:
        ft.finetune(
            "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
            settings=small_settings("textcnn"),
        )  # fmt: skip
        return tmp_path / "run"

    def again(self, run: Path, files: TaskFiles, base: Any = "lstm", **given: Any) -> Any:
        options = {"settings": small_settings(base), "overwrite": True, **given}
        return ft.finetune("matching", base, files.train("matching"), run, **options)

    def test_it_is_replaced_when_asked_alone(self, run: Path, task_files: TaskFiles) -> None:
        before = weights_of(run)
        with pytest.raises(OutputError, match="holds a finished run; choose another folder"):
            self.again(run, task_files, overwrite=False)
        assert weights_of(run) == before
        self.again(run, task_files)
        assert RunFolder(run).kind == "matching"
        assert [path.name for path in run.parent.iterdir()] == ["run"]

    @pytest.mark.parametrize(
        "given",
        [
            {"settings": {"training": {"epoch": 3.0}}},
            {"settings": {"task": {"dropout": 2.0}}},
            {"budget": "soon"},
            {"rows": RowsConfig},
        ],
    )
    def test_wrong_settings_bring_it_back(
        self, given: dict[str, Any], run: Path, task_files: TaskFiles
    ) -> None:
        before = weights_of(run)
        if "rows" in given:
            given = {"rows": PairsConfig(text_a="none")}
        with pytest.raises((SettingError, CorpusError)):
            self.again(run, task_files, **given)
        assert weights_of(run) == before
        assert [path.name for path in run.parent.iterdir()] == ["run"]

    def test_an_interruption_brings_it_back(
        self, run: Path, task_files: TaskFiles, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = weights_of(run)
        monkeypatch.setattr(network, "fit", _interrupt)
        with pytest.raises(Interrupted):
            self.again(run, task_files)
        assert weights_of(run) == before
        assert ft.load(run).kind == "classification"

    def test_it_is_no_base_of_its_own_successor(self, run: Path, task_files: TaskFiles) -> None:
        before = weights_of(run)
        with pytest.raises(SettingError, match="is BASE itself; keep the new run in another"):
            self.again(run, task_files, base=run, settings=small_settings(None))
        assert weights_of(run) == before


@pytest.mark.parametrize("section", ["trainin", "linear", "classifier"])
def test_sections_that_are_not_there_are_refused(
    section: str, task_files: TaskFiles, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=rf"\[{section}\]: there is no such section here\."):
        ft.finetune(
            "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
            settings={section: {"epochs": 1.0}},
        )  # fmt: skip
