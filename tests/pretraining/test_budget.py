"""What reading, training and the end of a run get of a budget, by a clock that the test moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import OutputError, SettingError
from foretext.base.files import held_folder
from foretext.corpus.blocks import Beginning
from foretext.pretraining import budget as budgets
from foretext.pretraining.budget import (
    begun,
    keep_budget,
    kept_budget,
    reading,
    with_training_time,
)
from foretext.pretraining.job import PretrainingJob
from foretext.pretraining.plan.times import LOADING_SECONDS, Closing
from foretext.pretraining.pretraining import run_recipe
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import BYTES_A_SECOND
from foretext.recipe import Recipe
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder
from tests.vectors.texts import write_topics


class Clock:
    """Shows what a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "long.txt"
    path.write_text("".join(f"{number:06} {'a' * 91}\n\n" for number in range(20_000)))
    return path


@pytest.fixture
def job(text: Path, tmp_path: Path) -> PretrainingJob:
    (tmp_path / "run").mkdir()
    run = RunFolder(tmp_path / "run")
    run.begin()
    recipe = Recipe.load("word2vec")
    return PretrainingJob(run=run, recipe=recipe, corpus=str(text), report=write_report)


def timed(job: PretrainingJob, seconds: float, clock: Clock) -> PretrainingJob:
    return replace(begun(job, seconds), budget=Budget.started(seconds, clock=clock))


def logged(job: PretrainingJob) -> str:
    return job.run.log.read_text()


def test_a_short_budget_has_no_page_and_a_note_says_how_to_get_it(job: PretrainingJob) -> None:
    begun_job = begun(job, 2.0)
    assert begun_job.report is None
    assert "the page is left out" in logged(job)
    assert f"foretext report {job.run.named} writes it" in logged(job)


def test_a_middling_budget_has_a_page_without_a_map(job: PretrainingJob) -> None:
    assert begun(job, 4.0).closing == Closing(page=True)
    assert "the map of words on the page is left out" in logged(job)


def test_a_long_budget_has_all(job: PretrainingJob) -> None:
    assert begun(job, 60.0).closing == Closing(page=True, word_map=True)
    assert not job.run.log.exists()


def test_reading_ends_when_its_share_is_over(job: PretrainingJob) -> None:
    clock = Clock()
    job = timed(job, 100.0, clock)
    clock.now += 10  # gone before the reading
    text = job.text()
    with reading(job, passes=2):
        blocks = []
        for block in text.blocks(1 << 14):
            blocks.append(block)
            clock.now += 1
    assert len(blocks) == 18  # three fifths of the 30 seconds that reading has left
    assert list(text.blocks(1 << 14)) == blocks
    assert f"{job.used_text['text_rate']:.0%} of the text is used" in logged(job)


def test_a_text_that_is_read_in_time_is_used_whole(job: PretrainingJob) -> None:
    job = timed(job, 100.0, Clock())
    with reading(job, passes=2):
        assert sum(1 for _ in job.text().blocks(1 << 14)) > 1
    assert job.used_text == {}


def test_some_text_is_always_read(job: PretrainingJob) -> None:
    clock = Clock()
    job = timed(job, 10.0, clock)
    clock.now += 9
    with reading(job, passes=1):
        assert next(job.text().blocks(1 << 14))


def test_without_a_budget_nothing_is_cut(job: PretrainingJob) -> None:
    with reading(job, passes=2):
        assert sum(len(block) for block in job.text().blocks()) > 1_900_000
    assert with_training_time(job) is job


def test_the_training_gets_the_rest_and_the_run_keeps_it(
    job: PretrainingJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    def load() -> None:
        clock.now += 2 * LOADING_SECONDS

    monkeypatch.setattr(budgets, "load_libraries", load)
    job = timed(job, 100.0, clock)
    clock.now += 20
    resolved = with_training_time(job, num_bytes=3 * BYTES_A_SECOND)
    left = 100 - 20 - 2 * LOADING_SECONDS - job.closing.seconds(pace=2.0) - 3
    assert resolved.limit is not None
    assert resolved.limit.seconds == pytest.approx(left)
    kept = Recipe.load(job.run.recipe).vectors.budget_seconds
    assert kept == resolved.recipe.vectors.budget_seconds == pytest.approx(left, abs=0.01)


def test_no_time_left_is_one_sentence(job: PretrainingJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "load_libraries", lambda: None)
    clock = Clock()
    job = timed(job, 10.0, clock)
    clock.now += 9
    with pytest.raises(SettingError, match=r"A budget of 10 s leaves no time .* --budget 20s"):
        with_training_time(job)


def test_a_resumed_run_knows_its_budget(job: PretrainingJob) -> None:
    assert kept_budget(job.run) is None
    keep_budget(begun(job, 60.0))
    assert kept_budget(job.run) == 60.0


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"seconds": "60"}',
     b'{"seconds": null}', b'{"seconds": -1}', b'{"seconds": NaN}'],
)  # fmt: skip
def test_a_damaged_budget_is_one_sentence(job: PretrainingJob, content: bytes) -> None:
    (job.run.checkpoints / "budget.json").write_bytes(content)
    with pytest.raises(OutputError, match=r"budget\.json is damaged"):
        kept_budget(job.run)


def unfinished(folder: Path, text: Path) -> RunFolder:
    """A run that a budget of 30 seconds gave 25 to train, killed after a checkpoint."""
    folder.mkdir()
    run = RunFolder(folder)
    run.begin()
    text_settings = ['tokenizer.pre_tokenizer="unicode_words"', 'corpus.lines="whole"']
    recipe = Recipe.load("word2vec", text_settings).with_budget(25.0)
    recipe.save(run.recipe)
    keep_budget(begun(PretrainingJob(run=run, recipe=recipe, corpus=str(text)), 30.0))
    (run.checkpoints / "step-1").mkdir()
    return run


def test_another_budget_than_that_of_the_run_is_refused(tmp_path: Path) -> None:
    text = write_topics(tmp_path / "text.txt")
    run = unfinished(tmp_path / "run", text)
    with held_folder(tmp_path), pytest.raises(SettingError, match=r"= 25.0, not 60.0; resume with"):
        run_recipe(Recipe.load("word2vec"), str(text), run.path, budget=60.0, resume=True)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["word2vec", "fasttext", "glove"])
def test_word_vectors_end_with_their_command(kind: str, tmp_path: Path) -> None:
    text = write_topics(tmp_path / "text.txt")
    settings = ["tokenizer.min_count=1", "vectors.vector_size=8"]
    recipe = Recipe.load(kind, settings)
    learned = run_recipe(recipe, str(text), tmp_path / "run", budget=6.0)
    kept = Recipe.load(tmp_path / "run" / "recipe.toml").vectors.budget_seconds
    assert kept is not None
    assert kept < 6.0
    assert learned.history[-1]["time"] < 6.0
    assert not (tmp_path / "run" / "checkpoints").exists()
    card, resolved = (tmp_path / "run" / name for name in ("README.md", "recipe.toml"))
    assert resolved.read_text() in card.read_text()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("estimator", [ft.Word2Vec, ft.GloVe, ft.FastText])
def test_the_budget_of_an_estimator_is_that_of_fit(
    estimator: type[ft.Word2Vec], tmp_path: Path
) -> None:
    text = write_topics(tmp_path / "text.txt")
    learner = estimator(budget_seconds=5.0, vector_size=8, min_count=1)
    learner.fit(text, out=tmp_path / "run")
    kept = Recipe.load(tmp_path / "run" / "recipe.toml").vectors.budget_seconds
    assert kept is not None
    assert kept < 5.0


def test_a_shortened_job_reads_the_beginning(job: PretrainingJob) -> None:
    assert job.shortened(1.0) is job
    part = job.shortened(0.25)
    assert isinstance(part.beginning, Beginning)
    assert part.used_text == {"text_rate": 0.25}
    assert part.text().num_bytes == 500_000
