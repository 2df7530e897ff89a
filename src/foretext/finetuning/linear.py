"""A run of the linear classifier: rows are read, learned from at once, and examined."""

from __future__ import annotations

import json
import time

from foretext._version import __version__
from foretext.classifiers.linear import LinearClassifier, LinearConfig
from foretext.classifiers.linear_storage import FILE
from foretext.data.rows import LabelledText, RowsConfig, find_row_problems, read_texts
from foretext.errors import CorpusError, SettingError
from foretext.files import atomic_file
from foretext.finetuning.job import Body, Finetuned, FinetuneJob
from foretext.report.task_card import task_card

__all__ = ["LINEAR", "learn_linear"]

Rows = dict[str, list[LabelledText]]  # by what they are for: train, valid, test


def learn_linear(job: FinetuneJob) -> Finetuned:
    """Learn a classifier and keep it in the run's folder.

    Raises:
        ForetextError: rows or settings will not do; the message says why.
    """
    for name, seconds in (("--budget", job.budget_seconds), ("--search", job.search_seconds)):
        if seconds is not None:
            raise SettingError(f"{name} has no effect on 'linear', which learns at once.")
    config = LinearConfig.checked(dict(job.settings.get("linear", {})), "linear")
    rows = _read(job)
    began = time.monotonic()
    classifier = LinearClassifier(**config.model_dump())
    classifier.fit([row.text for row in rows["train"]], [row.labels for row in rows["train"]])
    seconds = time.monotonic() - began
    job.run.note(f"learned in {seconds:.1f} s and {classifier.num_passes} passes")
    figures = {
        part: classifier.figures(rows[part]) if rows[part] else None for part in ("valid", "test")
    }
    _examine(job, classifier, rows)
    classifier.write_file(job.run.path / FILE)
    facts = {
        "foretext": __version__,
        **classifier.described(),
        "task": job.task,
        "base": job.base,
        "method": classifier.method,
        "rows": len(rows["train"]),
        "steps": classifier.num_passes,
        "seconds": seconds,
        "cut": 0,
        "baseline": None,
        "seeds": None,
        **figures,
    }
    sections = {
        "run": job.described(),
        "linear": classifier.config.model_dump(exclude_none=True),
        "rows": job.rows.model_dump(exclude_none=True),
    }
    return Finetuned(classifier, sections, facts, task_card(facts, sections, job.run.named))


LINEAR = Body(("linear",), learn_linear)


def _read(job: FinetuneJob) -> Rows:
    assert isinstance(job.rows, RowsConfig), job.rows
    files = {"train": job.train, "valid": job.valid, "test": job.test}
    rows = {
        part: [] if path is None else read_texts(path, job.rows) for part, path in files.items()
    }
    for problem in find_row_problems(rows["train"], rows["test"]):
        if problem.severity == "error":
            raise CorpusError(str(problem))
        job.note(str(problem))
    counts = ", ".join(f"{len(own):,} {part}" for part, own in rows.items())
    job.run.note(f"rows: {counts}")
    return rows


def _examine(job: FinetuneJob, classifier: LinearClassifier, rows: Rows) -> None:
    """Look closely at the answers to the rows to test on, or to those held out."""
    part = "test" if rows["test"] else "valid"
    if not rows[part]:
        return
    found = {"part": part, **classifier.examine(rows[part], learned_from=rows["train"])}
    with atomic_file(job.run.examination) as temporary:
        temporary.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
