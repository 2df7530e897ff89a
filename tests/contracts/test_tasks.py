"""What every task does on everything that it can be learned on, through the public verbs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import Interrupted, SettingError
from foretext.corpus import Corpus
from foretext.finetuning.base_names import LEARNERS, base_names
from foretext.finetuning.bases import NamedBackbone
from foretext.language_model import LanguageModel
from foretext.objectives import OBJECTIVES
from foretext.report.run_report import report_run
from foretext.run_folder import RunFolder
from foretext.tasks import TASKS
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.loop import Training
from tests.contracts.covering import covering, quick_if
from tests.contracts.interruption import stopping_at
from tests.contracts.pairs import LAWFUL, Pair, build_backbone, small_recipe
from tests.shown_runs import check_shown, parts_of
from tests.task_files import SMALL, TaskFiles, word_vectors, write_task_files

# A pretrained model of each lawful pair, a vector file, and every name.
PRETRAINED = [*map(str, LAWFUL)]
BASES = [*PRETRAINED, "vectors", *base_names()]
# Tasks that read two texts in one row: whole words have no token to stand between them, which one
# network over words does without.
IN_ONE_ROW = {"span_qa"}
WRITES = {"text_to_text"}  # tasks whose answers are texts
OTHER_LEARNED = {(task, base) for task in ("matching", "tagging") for base in ("auto", "linear")}
TWO_TOWERS = {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 48}
RECURRENT_PAIR = {"vector_size": 16, "dim": 16}
SMALL_ROWS = {
    **SMALL,
    "lookup": {"vector_size": 16},
    "reader": {"vector_size": 16, "dim": 8, "dropout": 0.0, "layer_dropout": 0.0},
    "recurrent": {"vector_size": 16, "dim": 8},
    **dict.fromkeys(("encoder_decoder", "transformer-2017"), TWO_TOWERS),
    **dict.fromkeys(("seq2seq", "gru-attention", "lstm-attention"), RECURRENT_PAIR),
}


def reads_words(base: str) -> bool:
    """Whether a network on a base has a vocabulary of whole words."""
    if base in (*map(str, LAWFUL), *LEARNERS):
        return False
    return base == "vectors" or NamedBackbone.of(base).component.reads_words


def reads_pairs(base: str) -> bool:
    """Whether a network over words needs no token between two texts; vectors get that one."""
    return base == "vectors" or NamedBackbone.of(base).component.reads_pairs


def is_lawful(task: str, base: str) -> bool:
    """Whether a task is learned on a base; the other cases are refused."""
    if base in LEARNERS:
        return task == "classification" or (task, base) in OTHER_LEARNED
    if task in WRITES:
        return writes(base)
    return task not in IN_ONE_ROW or not reads_words(base) or reads_pairs(base)


def writes(base: str) -> bool:
    """Whether a base can be taught to write texts."""
    if base in (names := {str(pair): pair for pair in LAWFUL}):
        return bool(OBJECTIVES.resolve(names[base].objective).continues)
    if base == "vectors" or reads_words(base):
        return False
    component = NamedBackbone.of(base).component
    return bool(component.reads_source) or base == "transformer"


CASES = [(task, base) for task in TASKS for base in BASES]
LAWFUL_CASES = [case for case in CASES if is_lawful(*case)]
REFUSED_CASES = [case for case in CASES if case not in LAWFUL_CASES]


def name_of(case: tuple[str, str]) -> str:
    return " on ".join(case)


def values_of(case: tuple[str, str]) -> tuple[str, str, str]:
    """The task of a case, its objective, and its backbone."""
    task, base = case
    pair = {str(pair): pair for pair in LAWFUL}.get(base)
    return (task, pair.objective, f"{pair.backbone} {pair.form}") if pair else (task, "none", base)


def pairs_of(case: tuple[str, str]) -> set[object]:
    """Its values, and with which objective and class of backbone a task is."""
    task, objective, backbone = values_of(case)
    return {*values_of(case), (task, objective), (task, backbone.split(" ")[0])}


ONCE = covering(LAWFUL_CASES, values_of)
QUICK = covering(LAWFUL_CASES, pairs_of)
FIRST = [next(case for case in LAWFUL_CASES if case[0] == task) for task in TASKS]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TaskFiles:
    return write_task_files(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def bases(animal_text: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `finetune` gets for each base; the models have random weights."""
    folder = tmp_path_factory.mktemp("bases")
    word_vectors().save(folder / "vectors.txt")
    found = {name: name for name in base_names()} | {"vectors": str(folder / "vectors.txt")}
    for pair in LAWFUL:
        untrained_model(pair, animal_text).save(folder / str(pair))
        found[str(pair)] = str(folder / str(pair))
    return found


def untrained_model(pair: Pair, text: Path) -> LanguageModel:
    recipe = small_recipe(pair)
    kind, config = recipe.parts["tokenizer"]
    tokenizer = learn_subwords(str(kind), config.model_dump(), Corpus(text))
    backbone = build_backbone(pair, tokenizer.vocab_size)
    backbone.spell(tokenizer.tokens)
    objective = OBJECTIVES.resolve(pair.objective)(
        recipe.parts["objective"].config, backbone, tokenizer
    )
    return LanguageModel(tokenizer, backbone, objective)


@pytest.fixture(scope="module", params=quick_if(LAWFUL_CASES, QUICK, name_of))
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    task, base = request.param
    return task, base


def options(task: str, base: str, files: TaskFiles) -> dict[str, Any]:
    """Arguments of a short fine-tuning that has held-out and test rows."""
    settings: dict[str, dict[str, Any]] = {"training": {"epochs": 2.0, "precision": "fp32"}}
    if (task, base) not in FIRST:  # the baseline is the same on every base
        settings["finetuning"] = {"baseline": False}
    if base in SMALL_ROWS:
        settings["backbone"] = SMALL_ROWS[base]
    if base in LEARNERS:
        settings = {"classifier": {"epochs": 2, "workers": 1}} if base == "fasttext" else {}
    if (task, base) == ("tagging", "auto"):
        settings = {"training": {"epochs": 2.0}, "backbone": SMALL_ROWS["recurrent"]}
    return {"valid": files.test(task), "test": files.test(task), "settings": settings}


@pytest.fixture(scope="module")
def run(
    case: tuple[str, str],
    files: TaskFiles,
    bases: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> RunFolder:
    task, base = case
    out = tmp_path_factory.mktemp("run") / "run"
    ft.finetune(task, bases[base], files.train(task), out, **options(task, base, files))
    return RunFolder(out)


@pytest.fixture(scope="module")
def model(run: RunFolder) -> Any:
    """What a run has kept, opened once."""
    return ft.load(run.path)


@pytest.mark.parametrize("refused", REFUSED_CASES, ids=name_of)
def test_what_does_not_fit_is_refused_before_training(
    refused: tuple[str, str], files: TaskFiles, bases: dict[str, str], tmp_path: Path
) -> None:
    task, base = refused
    with pytest.raises(SettingError):
        ft.finetune(
            task, bases[base], files.train(task), tmp_path / "run", **options(task, base, files)
        )
    assert not (tmp_path / "run").exists()


def test_a_run_is_whole(case: tuple[str, str], run: RunFolder) -> None:
    assert run.finished
    facts = json.loads(run.config.read_text(encoding="utf-8"))
    assert "model.evaluate" in run.card.read_text(encoding="utf-8")
    assert run.examination.is_file(), facts


@pytest.mark.parametrize("case", quick_if(ONCE, FIRST, name_of), indirect=True)
def test_it_has_a_page(case: tuple[str, str], run: RunFolder) -> None:
    assert "<html" in report_run(run.path).read_text(encoding="utf-8")


def test_it_shows_what_decides(case: tuple[str, str], model: Any) -> None:
    texts = ["the dog barks in the morning", "the cat purrs at noon"]
    lines = ["\t".join([text] * len(model.fields)) for text in texts]
    shown = check_shown(model, lines)
    assert len(shown) >= len(lines)
    assert len(parts_of(shown, "tokens")) >= len(lines) or case[1] in LEARNERS


def test_it_answers_and_is_judged_as_in_its_run(
    case: tuple[str, str], run: RunFolder, model: Any, files: TaskFiles
) -> None:
    task, _ = case
    rows = model.task.read(files.test(task))
    figures = model.evaluate(files.test(task))
    examined = json.loads(run.examination.read_text(encoding="utf-8"))["figures"]
    assert figures[model.judged_by] == pytest.approx(examined[model.judged_by], abs=1e-6)
    assert np.isfinite(figures[model.judged_by])
    assert len(rows) == 18


def test_lines_are_answered(model: Any) -> None:
    texts = ["the cat in the morning", "every dog barks"]
    line = "\t".join(texts[: len(model.fields)])
    (record,) = model.predictions([line])
    assert set(model.fields) < set(record)
    assert model.shown(record)
    assert json.dumps(record)


def test_each_row_is_shown_with_both_answers(
    case: tuple[str, str], model: Any, files: TaskFiles
) -> None:
    rows = model.task.read(files.test(case[0]))
    answers = model.answer_rows(rows)
    shown = answers.shown(rows)
    assert len(shown) == len(rows)
    assert all(row.text and row.right for row in shown)
    assert len(answers.tallies(rows)[model.judged_by].parts) == len(rows)


def test_saving_keeps_the_answers(model: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "copy")
    lines = ["\t".join(["the cat in the morning", "a dog"][: len(model.fields)])]
    again = ft.load(tmp_path / "copy")
    assert list(again.predictions(lines)) == list(model.predictions(lines))


@pytest.mark.parametrize("case", quick_if(QUICK, QUICK[::4], name_of), indirect=True)
def test_it_repeats_from_its_own_recipe(
    case: tuple[str, str], run: RunFolder, model: Any, tmp_path: Path
) -> None:
    again = ft.finetune(config=run.recipe, out=tmp_path / "again")
    lines = ["\t".join(["the cat in the morning", "a dog"][: len(again.fields)])]
    assert list(again.predictions(lines)) == list(model.predictions(lines))


@pytest.mark.parametrize("case", quick_if(QUICK, QUICK[::4], name_of), indirect=True)
def test_a_network_resumes_to_the_same_bits(
    case: tuple[str, str],
    run: RunFolder,
    files: TaskFiles,
    bases: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task, base = case
    if base in LEARNERS:
        pytest.skip("it takes no steps of the training loop")
    arguments = (task, bases[base], files.train(task), tmp_path / "run")
    with monkeypatch.context() as patched:
        patched.setattr(Training, "_step", stopping_at(2))
        with pytest.raises(Interrupted):
            ft.finetune(*arguments, **options(task, base, files))
    torch.manual_seed(99)  # a new process has another generator
    ft.finetune(*arguments, **options(task, base, files), resume=True)
    name = "model.safetensors"
    assert (tmp_path / "run" / name).read_bytes() == (run.path / name).read_bytes()
