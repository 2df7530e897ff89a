"""`suggest`: a model and texts without labels become the texts that are worth labelling next.

By uncertainty they are those whose answers are least sure; by coverage those that stand for many
others; by both the uncertain ones that differ most from each other (Zhdanov 2019, Diverse
mini-batch Active Learning).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from foretext.artifact import (
    kind_of_run,
    load,
    load_embedder,
    load_task,
    network_reads_words,
)
from foretext.base.arguments import checked_arguments, shown_value
from foretext.base.counted import number_of
from foretext.base.errors import (
    ArgumentError,
    CorpusError,
    ForetextError,
    GivenError,
    SettingError,
)
from foretext.corpus.texts import is_file_or_source
from foretext.data.rows import InputColumns, RowsConfig, input_files, read_texts, text_inputs
from foretext.data.rows.given import given_elements, shown
from foretext.data.rows.inputs import Input
from foretext.data.rows.label_formats import LabelTask, TaskFormat
from foretext.data.rows.settings import Columns
from foretext.messages import commas, message
from foretext.metrics import UncertaintyMeasure
from foretext.progress import Progress
from foretext.suggestion.coverage import cluster_centers, k_center
from foretext.suggestion.pool import Pool
from foretext.suggestion.suggestions import Suggestions, checked_output
from foretext.suggestion.text_vectors import TextEmbedder, text_vectors
from foretext.tasks.predictor import Predictor

__all__ = ["By", "Spread", "suggest"]

By = Literal["uncertainty", "coverage", "both"]
Spread = Literal["clusters", "k-center"]
OWN = "the model's"
LABELLED = (("text",), ("text_a", "text_b"))  # fields of the tasks whose rows have labels
POOL = 10_000  # texts that are compared with each other, at most
AMONG = 40  # uncertain texts for each one that is chosen by both
MOST_COVERED = 10_000  # labelled texts that count as covered
SUFFIXES = (".bin", ".ftz")  # of fastText: a classifier, or word vectors


@checked_arguments
def suggest(
    model: Any,
    texts: Any,
    number: int = 50,
    *,
    by: By | None = None,
    measure: UncertaintyMeasure = "margin",
    spread: Spread = "clusters",
    embedder: Any = None,
    labelled: Any = None,
    columns: Mapping[str, Columns] | None = None,
    rows: Mapping[str, Any] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    format: TaskFormat | None = None,
    overwrite: bool = False,
    quiet: bool | None = None,
    doubt: Callable[[str], None] = lambda _: None,
) -> Suggestions:
    """Return the texts that are most worth labelling for a model, each once.

    Args:
        model: that shall become better, or the path of its run; or what gives vectors of texts,
            such as word vectors, where nothing is labelled yet.
        texts: a file of any form that `foretext.finetune` reads, or texts in memory.
        number: of texts to suggest.
        by: "uncertainty", "coverage" or "both"; None: both, or coverage where the model answers no
            labels.
        measure: of the uncertainty: the lead of the best label over the second ("margin"), or the
            "entropy" of all.
        spread: how coverage is reached: by the texts next to the centres of "clusters", or by
            "k-center", each text the farthest from all before it, which finds the strange ones.
        embedder: what gives the vectors by which texts are compared, or its path; None: the
            model, or the words of the texts where the model has no vectors.
        labelled: rows that are labelled already, which are left out and count as covered.
        columns: of the texts in the file, where they are not those of the training.
        rows: other settings of reading, over those of the training.
        seed: of the first centres of the clusters.
        out: the file to label them in; None: none is written.
        format: of the file, as of `Suggestions.write`; None: by its suffix.
        overwrite: replace the file, if there is one.
        quiet: show no progress; None: show it on a terminal and in a notebook.
        doubt: is called with a sentence where a file may be meant otherwise.

    Raises:
        ForetextError: model, texts or a setting will not do; the message says why.
    """
    if number < 1:
        raise SettingError(message("options.suggest.number", number=number))
    for name, value, known in (("by", by, By), ("measure", measure, UncertaintyMeasure)):
        _check_name(name, value, get_args(known))
    _check_name("spread", spread, get_args(Spread))
    parts = _Parts.of(model, embedder, needs_vectors=by != "uncertainty")
    predictor = parts.predictor
    probe = _probe(predictor)
    chosen = _checked_by(by, probe, predictor)
    if out is not None:
        checked_output(Path(out), format, overwrite=overwrite, tagged=probe.tokens is not None)
    reading = _Reading(predictor, columns or {}, rows or {}, doubt)
    reading.check()
    before = [] if labelled is None else reading.labelled(labelled)
    most = max(POOL, number)
    sizes = {"uncertainty": number, "both": min(AMONG * number, most), "coverage": most}
    pool = Pool(sizes[chosen], len(reading.fields), before, seed)

    def doubts(inputs: Sequence[Input]) -> list[float]:
        assert predictor is not None
        return [task.priority or 0.0 for task in predictor.label_tasks(inputs, measure)]

    with Progress(message("progress.reading"), None, "texts", quiet=quiet) as bar:
        for count in pool.fill(reading.inputs(texts), None if chosen == "coverage" else doubts):
            bar.advance(count)
        if not pool.inputs:
            raise CorpusError(_nothing(texts, pool.counts))
        if chosen == "uncertainty":
            found = _least_sure(pool, number)
        else:
            bar.stage(message("progress.comparing"))
            own, covered = _vectors(pool, before, parts.embedder)
            weights = np.ones(len(own)) if chosen == "coverage" else pool.doubts
            found = _spread(own, covered, weights, number, spread, seed)
        tasks = _tasks(pool, found, chosen, predictor, measure)
    vectors = {} if chosen == "uncertainty" else {"vectors": parts.vectors}
    suggestions = Suggestions(tasks, {**pool.counts, "by": chosen, **vectors})
    if out is not None:
        suggestions.write(out, format, overwrite=overwrite)
    return suggestions


def _check_name(name: str, value: str | None, known: Sequence[str]) -> None:
    """Refuse a value that is none of those known.

    Raises:
        SettingError: it is not.
    """
    if value is not None and value not in known:
        raise SettingError(f"{name} = '{value[:40]}': give {', '.join(known[:-1])} or {known[-1]}.")


class _Parts(NamedTuple):
    """What answers, and what gives vectors; None: nothing does."""

    predictor: Predictor | None
    embedder: TextEmbedder | None
    vectors: str  # whose they are, for the user

    @classmethod
    def of(cls, model: Any, embedder: Any, *, needs_vectors: bool) -> _Parts:
        """Open what is given by its path.

        Raises:
            ForetextError: it holds something else, or cannot be opened.
        """
        path = Path(model) if isinstance(model, str | Path) else None
        opened = model if path is None else _opened(path)
        predictor = opened if isinstance(opened, Predictor) else None
        if embedder is not None:
            is_path = isinstance(embedder, str | Path)
            shown = str(embedder) if is_path else type(embedder).__name__
            given = load_embedder(embedder) if is_path else embedder
            return cls(predictor, _embedding(given, "embedder"), shown)
        if predictor is None:
            return cls(None, _embedding(opened, "model"), OWN)
        if predictor.own_embedder is not None:
            return cls(predictor, predictor.own_embedder, OWN)
        if needs_vectors and path is not None and _has_vectors(path):
            return cls(predictor, load_embedder(path), OWN)
        return cls(predictor, None, "words of the texts")


def _has_vectors(path: Path) -> bool:
    """Whether a folder of a task is that of a network that gives vectors of texts, too."""
    if not path.is_dir() or kind_of_run(path).embedder is None:
        return False
    return not network_reads_words(path)


def _embedding(given: Any, name: str) -> TextEmbedder:
    """Return what gives vectors of texts, of whatever library.

    Raises:
        ArgumentError: it does not.
    """
    if not callable(getattr(given, "embed", None)):  # foreign
        raise ArgumentError(
            f"{name} = {shown_value(given)}: give the path of a run, or what `foretext.load` opens "
            "and has labels or vectors of texts."
        )
    embedder: TextEmbedder = given
    return embedder


def _opened(path: Path) -> Any:
    """Open a task, or what gives vectors; a file of fastText may hold either."""
    if path.suffix in SUFFIXES:
        with suppress(ForetextError):
            return load_task(path)
    opened = load(path)
    if not isinstance(opened, Predictor) and kind_of_run(path).embedder is None:
        load_embedder(path)  # says why not
    return opened


def _probe(predictor: Predictor | None) -> LabelTask:
    """Return a task as the model makes them, to see what it has."""
    if predictor is None:
        return LabelTask({})
    return predictor.label_tasks([("?",) * len(predictor.fields)])[0]


def _checked_by(by: By | None, probe: LabelTask, predictor: Predictor | None) -> By:
    """Return what texts are chosen by, which the model must be able to say.

    Raises:
        SettingError: its answers have no probabilities of labels.
    """
    if predictor is not None and predictor.fields not in LABELLED:
        raise SettingError(
            f"{predictor.title} learns from more than labels; suggest chooses texts for "
            "classification, matching and tagging."
        )
    if by == "coverage":
        return by
    if probe.priority is None and by is not None:
        what = "the model" if predictor is None else predictor.title.lower()
        raise SettingError(message("options.suggest.unsure", by=by, what=what))
    return by or ("coverage" if probe.priority is None else "both")


class _Reading(NamedTuple):
    """How texts and labelled rows are read."""

    predictor: Predictor | None
    columns: Mapping[str, Columns]
    rows: Mapping[str, Any]
    doubt: Callable[[str], None]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the texts of an input."""
        return ("text",) if self.predictor is None else self.predictor.fields

    def check(self) -> None:
        """Refuse columns that the inputs do not have.

        Raises:
            SettingError: there is one.
        """
        for name in self.columns:
            if name not in self.fields:
                option, own = (each.replace("_", "-") for each in (name, ", --".join(self.fields)))
                raise SettingError(f"--{option} has no effect on this model; it reads --{own}.")

    def inputs(self, texts: Any) -> Iterator[Input]:
        """Yield the inputs of a file, or those that Python holds."""
        if not is_file_or_source(texts):
            return _given_inputs(texts, len(self.fields))
        if self.predictor is not None:
            found = self.predictor.inputs(
                texts, columns=self.columns, rows=self.rows, doubt=self.doubt
            )
            return (each.texts for each in found)
        config = RowsConfig.checked(dict(self.rows), "rows")
        wanted = InputColumns(self.fields, config, self.columns, doubt=self.doubt)
        files = input_files(texts, wanted.reading)
        return (each.texts for file in files for each in text_inputs(file, wanted))

    def labelled(self, rows: Any) -> list[str]:
        """Return the texts of rows that are labelled."""
        if self.predictor is not None:
            return [row.text for row in self.predictor.read_rows(rows)]
        if is_file_or_source(rows):
            names = {"text": self.columns["text"]} if "text" in self.columns else {}
            config = RowsConfig.checked({**self.rows, **names, "label": None}, "rows")
            return [row.text for row in read_texts(rows, config)]
        return [own[0] for own in _given_inputs(rows, 1)]


def _given_inputs(texts: Any, num_fields: int) -> Iterator[Input]:
    """Yield texts in memory, or tuples of as many as an input has.

    Raises:
        GivenError: something else is among them.
    """
    for number, given in enumerate(given_elements(texts, "texts"), start=1):
        own = (given,) if isinstance(given, str) else given
        is_right = isinstance(own, list | tuple) and all(isinstance(each, str) for each in own)
        if not is_right or len(own) != num_fields:
            wanted = "a text" if num_fields == 1 else f"a tuple of {num_fields} texts"
            raise GivenError(f"text {number} is {shown(given)}; give {wanted}.")
        yield tuple(own)


class _Found(NamedTuple):
    """Chosen texts, the most useful first."""

    indices: NDArray[np.int64]  # in the pool
    reasons: list[str]  # why, but for the doubt of the model


def _least_sure(pool: Pool, number: int) -> _Found:
    indices = np.argsort(-pool.doubts, kind="stable")[:number]
    return _Found(indices, [""] * len(indices))


def _vectors(
    pool: Pool, before: Sequence[str], embedder: TextEmbedder | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the vectors of the pool, and those of the texts that are labelled."""
    texts = [pool.text(index) for index in range(len(pool.inputs))]
    vectors = text_vectors([*texts, *before[-MOST_COVERED:]], embedder)
    return vectors[: len(texts)], vectors[len(texts) :]


def _spread(
    own: NDArray[np.float32],
    covered: NDArray[np.float32],
    weights: NDArray[np.float64],
    number: int,
    spread: Spread,
    seed: int,
) -> _Found:
    """Choose texts that differ from each other."""
    if spread == "clusters":
        indices, sizes = cluster_centers(own, number, weights, covered, seed=seed)
        return _Found(indices, [_cluster_reason(int(size)) for size in sizes])
    indices, distances = k_center(own, number, covered if len(covered) else None)
    return _Found(
        indices,
        [message("terminal.doubt.from_nearest", distance=distance) for distance in distances],
    )


def _cluster_reason(size: int) -> str:
    """Say why a cluster's text was chosen; all texts next to an empty one are nearer to others."""
    if size:
        return message("terminal.doubt.stands_for", texts=number_of("text", size))
    return message("terminal.doubt.near")


def _tasks(
    pool: Pool, found: _Found, by: By, predictor: Predictor | None, measure: UncertaintyMeasure
) -> list[LabelTask]:
    """Return the chosen texts with the model's answers, and why they were chosen."""
    inputs = [pool.inputs[index] for index in found.indices]
    if predictor is None:
        tasks = [LabelTask({"text": text}) for (text,) in inputs]
    else:
        tasks = predictor.label_tasks(inputs, measure)
    named = zip(tasks, found.reasons, strict=True)
    if by == "coverage":
        return [
            task._replace(why=reason, priority=1 - rank / len(tasks))
            for rank, (task, reason) in enumerate(named)
        ]
    tasks = [task._replace(why="; ".join(filter(None, (task.why, why)))) for task, why in named]
    return sorted(tasks, key=lambda task: -(task.priority or 0.0))


def _nothing(texts: Any, counts: Mapping[str, int]) -> str:
    """Say why no text is left to suggest."""
    is_path = isinstance(texts, str | Path)
    name = texts if is_path else message("terminal.suggest.given")
    left_out = [
        message(f"terminal.suggest.{why}", number=number)
        for why, number in counts.items()
        if why != "texts" and number
    ]
    if not left_out:
        return message("terminal.suggest.nothing", name=name)
    return message("terminal.suggest.nothing_but", name=name, reasons=commas(left_out))
