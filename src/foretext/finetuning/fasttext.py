"""A run of fastText's classifier: rows are read, settings searched for, and one training done."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import TypedDict  # pydantic reads this one before Python 3.12

from foretext.classifiers.fasttext.classifier import FastTextClassifier
from foretext.classifiers.fasttext.config import FastTextClassifierConfig
from foretext.classifiers.fasttext.labelled_texts import TextsWithLabels
from foretext.classifiers.fasttext.search import SearchResult, held_out_split, search_settings
from foretext.classifiers.fasttext.storage import model_facts, save_model
from foretext.classifiers.fasttext.training import (
    Trained,
    TrainingTexts,
    load_pretrained,
    train,
)
from foretext.corpus.pre_tokenizers import likely_kind
from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.errors import OutputError
from foretext.files import atomic_file
from foretext.finetuning.job import Body, Finetuned, FinetuneJob
from foretext.parsing import read_json
from foretext.progress import MetricsLog, Progress
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.report.task_card import task_card

__all__ = ["FASTTEXT", "learn_fasttext"]

SAMPLE = 1_000  # texts that are looked at
MODEL_FILE = "model.safetensors"
SEARCH_FILE = "search.json"  # among the checkpoints: what an interrupted run has found


class _KeptSearch(TypedDict):
    """The file of a search's result."""

    classifier: dict[str, Any]
    score: float
    trials: list[dict[str, Any]]


class _Texts(NamedTuple):
    train: TextsWithLabels
    valid: TextsWithLabels | None
    test: TextsWithLabels | None


def learn_fasttext(job: FinetuneJob) -> Finetuned:
    """Learn a classifier and keep it in the run's folder.

    Raises:
        ForetextError: rows or settings will not do; the message says why.
    """
    config = _config(job)
    texts = _Texts(
        _read(job, job.train),
        None if job.valid is None else _read(job, job.valid),
        None if job.test is None else _read(job, job.test),
    )
    job.run.note(f"{len(texts.train.texts):,} texts to learn from")
    _note_pre_tokenizer(job, config, texts.train.texts)
    searched = _searched(job, config, texts)
    if searched is not None:
        config = searched.config
        job.run.note(f"{len(searched.trials)} settings tried, the best scores {searched.score:.4f}")
    trained = _train(job, config, texts)
    save_model(job.run.path / MODEL_FILE, trained.model)
    facts = _facts(job, texts, trained, searched)
    sections = {
        "run": job.described(),
        "classifier": config.model_dump(exclude_none=True),
        "rows": job.rows.model_dump(exclude_none=True),
    }
    classifier = FastTextClassifier.of_model(trained.model)
    return Finetuned(classifier, sections, facts, task_card(facts, sections, job.run.named))


FASTTEXT = Body(("classifier",), learn_fasttext)


def _note_pre_tokenizer(
    job: FinetuneJob, config: FastTextClassifierConfig, texts: Sequence[str]
) -> None:
    """Say so where blanks do not separate words."""
    kind = likely_kind("\n".join(texts[:: 1 + len(texts) // SAMPLE]))
    if config.pre_tokenizer == "blanks" and kind != "unicode_words":
        job.note(
            "the texts are Chinese, where blanks separate no words; set "
            f"classifier.pre_tokenizer={kind}"
        )


def _config(job: FinetuneJob) -> FastTextClassifierConfig:
    settings = dict(job.settings.get("classifier", {}))
    if job.budget_seconds is not None:
        settings["budget_seconds"] = job.budget_seconds
    return FastTextClassifierConfig.checked(settings, "classifier")


def _read(job: FinetuneJob, path: str | Path) -> TextsWithLabels:
    assert isinstance(job.rows, RowsConfig), job.rows
    return TextsWithLabels.of_rows(read_texts(path, job.rows))


def _searched(
    job: FinetuneJob, config: FastTextClassifierConfig, texts: _Texts
) -> SearchResult | None:
    """Search for settings, unless an interrupted run has done so."""
    kept = job.run.checkpoints / SEARCH_FILE
    if job.resume and kept.is_file():
        found = read_json(kept, OutputError, _KeptSearch)
        best = FastTextClassifierConfig.checked(found["classifier"], "classifier")
        return SearchResult(best, found["score"], found["trials"])
    job.run.trials.unlink(missing_ok=True)
    result = _search(job, config, texts)
    if result is not None:
        settings = result.config.model_dump(exclude_none=True)
        content = {"classifier": settings, "score": result.score, "trials": result.trials}
        with atomic_file(kept) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")
    return result


def _search(
    job: FinetuneJob, config: FastTextClassifierConfig, texts: _Texts
) -> SearchResult | None:
    """Try settings on the held-out texts, or on a tenth of the others where there are none."""
    seconds = job.search_seconds
    if seconds is None:
        return None
    some, valid = texts.train, texts.valid
    if valid is None:
        some, valid = held_out_split(texts.train, config.seed)
    with (
        MetricsLog(job.run.trials) as log,
        Progress("searching", seconds, "seconds", quiet=job.quiet) as bar,
    ):

        def tell(trial: dict[str, Any]) -> None:
            log.append(trial)
            best = max(trial["score"], bar.figures.get("best", 0.0))
            bar.advance(min(bar.elapsed, seconds) - bar.done, best=best)

        return search_settings(config, some, valid, seconds, tell)


def _train(job: FinetuneJob, config: FastTextClassifierConfig, texts: _Texts) -> Trained:
    with MetricsLog(job.run.metrics) as log:
        context = RunContext(
            job.run.path,
            title="fasttext",
            log=log,
            checkpoints=Checkpoints(job.run.checkpoints, job.run.note),
            resume=job.resume,
            quiet=job.quiet,
        )
        words = TrainingTexts.of(texts.train, config)
        trained = train(config, words, texts.valid, load_pretrained(config), context)
    job.run.note(f"trained in {_last(trained, 'time') or 0:.1f} s")
    return trained


def _facts(
    job: FinetuneJob, texts: _Texts, trained: Trained, searched: SearchResult | None
) -> dict[str, Any]:
    classifier = FastTextClassifier.of_model(trained.model)
    figures = {
        name: None if given is None else classifier.figures(_rows(given))
        for name, given in (("valid", texts.valid), ("test", texts.test))
    }
    return {
        **model_facts(trained.model),
        **classifier.described(),
        "task": job.task,
        "base": job.base,
        "method": classifier.method,
        "rows": len(texts.train.texts),
        "classes": classifier.classes_.tolist(),
        "steps": len(trained.history),
        "loss": _last(trained, "loss"),
        "valid_loss": _last(trained, "valid_loss"),
        "seconds": _last(trained, "time"),
        "cut": 0,
        "baseline": None,
        "seeds": None,
        "search": None
        if searched is None
        else {"trials": len(searched.trials), "score": searched.score},
        **figures,
    }


def _rows(given: TextsWithLabels) -> list[LabelledText]:
    pairs = zip(given.texts, given.labels, strict=True)
    return [LabelledText(text, tuple(labels), "") for text, labels in pairs]


def _last(trained: Trained, name: str) -> Any:
    return trained.history[-1][name] if trained.history else None
