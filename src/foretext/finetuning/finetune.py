"""Learning a task from Python, with the type of what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack, overload

import pydantic

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.finetuning.bases import task_on
from foretext.finetuning.recipe import BaseModel, TaskRecipe, TeacherModel
from foretext.finetuning.rows import unlabelled_source
from foretext.finetuning.run import run_finetuning
from foretext.finetuning.writing import summary_lines
from foretext.progress import is_quiet
from foretext.recipe.recipe import GivenSections, given_sections

if TYPE_CHECKING:
    from foretext.tasks.classification.embeddings.classifier import EmbeddingClassifier
    from foretext.tasks.classification.linear import LinearClassifier
    from foretext.tasks.classification.network import TextClassifier
    from foretext.tasks.fasttext.classifier import FastTextClassifier
    from foretext.tasks.matching.linear import LinearMatcher
    from foretext.tasks.matching.network import TextMatcher
    from foretext.tasks.predictor import Predictor
    from foretext.tasks.sentence_vectors.network import SentenceEncoder
    from foretext.tasks.span_qa.network import SpanReader
    from foretext.tasks.tagging.linear import LinearTagger
    from foretext.tasks.tagging.network import Tagger
    from foretext.tasks.tagging.sentence_tagger import SentenceTagger
    from foretext.tasks.text_to_text.network import TextWriter

__all__ = ["finetune"]

Rows: TypeAlias = RowSource | Iterable[Any] | Any  # tables of other libraries have no type here


class Options(TypedDict, total=False):
    """Arguments that `finetune` has for every task."""

    valid: Rows | None
    test: Rows | None
    unlabelled: Rows | None
    teacher: TeacherModel | None
    beside: BaseModel | Sequence[BaseModel]
    config: str | Path | None
    settings: GivenSections | None
    rows: Config | Mapping[str, Any] | None
    budget: str | float | None
    search: str | float | None
    overwrite: bool
    resume: bool
    quiet: bool | None


@overload
def finetune(  # type: ignore[overload-overlap]  # a str is the path of a network's base
    task: Literal["classification"],
    base: Literal["linear"],
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> LinearClassifier: ...


@overload
def finetune(  # type: ignore[overload-overlap]
    task: Literal["classification"],
    base: Literal["auto", "embeddings"],
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> EmbeddingClassifier: ...


@overload
def finetune(  # type: ignore[overload-overlap]
    task: Literal["classification"],
    base: Literal["fasttext"],
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> FastTextClassifier: ...


@overload
def finetune(
    task: Literal["classification"],
    base: BaseModel,
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> TextClassifier: ...


@overload
def finetune(  # type: ignore[overload-overlap]
    task: Literal["matching"],
    base: Literal["auto", "linear"],
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> LinearMatcher: ...


@overload
def finetune(
    task: Literal["matching"],
    base: BaseModel,
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> TextMatcher: ...


@overload
def finetune(  # type: ignore[overload-overlap]
    task: Literal["tagging"],
    base: Literal["linear"],
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> LinearTagger: ...


@overload
def finetune(  # type: ignore[overload-overlap]
    task: Literal["tagging"],
    base: Literal["auto"],
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> SentenceTagger: ...


@overload
def finetune(
    task: Literal["tagging"],
    base: BaseModel,
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> Tagger: ...


@overload
def finetune(
    task: Literal["span_qa"],
    base: BaseModel,
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> SpanReader: ...


@overload
def finetune(
    task: Literal["text_to_text"],
    base: BaseModel,
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> TextWriter: ...


@overload
def finetune(
    task: Literal["sentence_vectors"],
    base: BaseModel,
    train: Rows,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> SentenceEncoder: ...


@overload
def finetune(
    task: str | None = None,
    base: BaseModel | None = None,
    train: Rows | None = None,
    *,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> Predictor: ...


@checked_arguments
def finetune(
    task: str | None = None,
    base: BaseModel | None = None,
    train: Rows | None = None,
    out: str | Path | None = None,
    *,
    valid: Rows | None = None,
    test: Rows | None = None,
    unlabelled: Rows | None = None,
    teacher: TeacherModel | None = None,
    beside: BaseModel | Sequence[BaseModel] = (),
    config: str | Path | None = None,
    settings: GivenSections | None = None,
    rows: Config | Mapping[str, Any] | None = None,
    budget: str | float | None = None,
    search: str | float | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
) -> Any:
    """Learn a task from labelled rows, and return the model; keep the run in `out`.

    Args:
        task: ``"classification"``, ``"matching"``, ``"tagging"``, ``"span_qa"``,
            ``"text_to_text"``, ``"sentence_vectors"``, or ``"module:Class"`` of a `Task` of
            yours.
        base: what it is learned on: a run, a folder of Hugging Face or sentence-transformers, a
            vector file, one of these opened by `load`; or a name, to learn from scratch:
            ``"textcnn"``, ``"lstm"``, ``"gru"``, ``"rnn"``, ``"transformer"``, ``"fasttext"``,
            ``"linear"``, ``"embeddings"``, or ``"module:Class"`` of a backbone of yours; or
            ``"auto"``, which chooses by rows and texts.
        train: rows to learn from: a file, a folder, a glob or a URL; or rows in memory: (text,
            label) tuples, dicts, a table with these columns, or (X, y). A label may be a list of
            labels. Pairs have text_a, text_b and label; sentences tokens and tags; questions
            question, context and answers, or all of a file in the form of SQuAD. Texts that become
            others have source and target; two parallel files are ``("train.de", "train.en")``.
            Sentence vectors are learned from texts, from tuples of two or of three texts, or of two
            and a number.
        out: the run's folder; it must not hold a run already, unless `overwrite` or `resume`. None:
            nothing is kept but the model.
        valid: rows that weights and settings are chosen by.
        test: rows that the result is measured on at the end.
        unlabelled: texts without labels: a file with one a line or a table, or strings. A teacher
            labels them; of `settings={"finetuning": ...}`, `"adapt"` pretrains on them, and
            `"consistency_weight"` lets the network learn to answer them alike.
        teacher: whose probabilities a network learns beside the labels: a run, a model's folder,
            one of these opened by `load`; ``"linear"`` or ``"fasttext"``, which learn from `train`
            first; ``"self"``, the network of a first training; ``"ensemble"``, that network with
            the linear model.
        beside: other bases, of ``"auto"``, ``"embeddings"`` and of a base that is learned on as it
            is: each is another view of a text. Over an ELMo: word vectors, which are joined with
            its states, word by word.
        config: a TOML file with all this under ``[run]``, and with settings, such as the
            ``recipe.toml`` of a run; what is given here replaces it.
        settings: by section, ``{"training": {"epochs": 3}}``, or ``["training.epochs=3"]``.
        rows: how files are read, ``{"text": "review"}``; None: as the task's files usually are.
        budget: wall-clock time of the training, ``"10m"``, in place of epochs.
        search: wall-clock time of a search for settings before it.
        overwrite: replace the run in `out`, once the new one is finished.
        resume: go on with the unfinished run in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        ForetextError: a file, a setting or the folder will not do; the message says why.
    """
    chosen: dict[str, Mapping[str, Any]] = {**given_sections(settings)}
    if rows is not None:
        chosen["rows"] = {**chosen.get("rows", {}), **_row_settings(rows)}
    recipe = TaskRecipe.load(
        config, chosen, task=task, base=base, train=train, valid=valid, test=test,
        unlabelled=unlabelled, teacher=teacher, beside=_several(beside), budget=budget,
        search=search,
    )  # fmt: skip
    recipe = _read_memory(recipe)
    done = run_finetuning(recipe, out, overwrite=overwrite, resume=resume, quiet=quiet)
    if not is_quiet(quiet):
        say("\n".join(summary_lines(done.facts)), error=True)
    return done.model


def _several(beside: Any) -> tuple[Any, ...] | None:
    """Return one base, or several, as a tuple; None where there is none."""
    return tuple(beside) or None if isinstance(beside, list | tuple) else (beside,)


def _row_settings(rows: Any) -> dict[str, Any]:
    """Return how rows are read, from a dict or from the settings of a task's rows.

    Raises:
        SettingError: it is neither.
    """
    if isinstance(rows, Mapping):
        return dict(rows)
    if isinstance(rows, pydantic.BaseModel):
        return rows.model_dump(exclude_unset=True)
    raise SettingError(f"rows = {repr(rows)[:60]}: give a dict, such as {{'text': 'review'}}.")


def _read_memory(recipe: TaskRecipe) -> TaskRecipe:
    """Return the recipe with rows in memory as sources that the task reads; files stay files.

    Raises:
        CorpusError: there are no rows, or they are not what the task needs.
        SettingError: there is no such task or base.
    """
    source_of = task_on(recipe.task, recipe.base).source_of
    sources: dict[str, Any] = {
        name: as_parallel_files(rows) or source_of(rows) for name, rows in recipe.rows.items()
    }
    if recipe.unlabelled is not None:
        sources["unlabelled"] = unlabelled_source(recipe.unlabelled)
    return replace(recipe, **sources)
