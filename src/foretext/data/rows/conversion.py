"""Labelled rows written for another program: texts and offsets as they are, and what does not fit.

Entities keep their offsets where a format has some, whether or not they fit tokens, and whether or
not they overlap. A format of tokens has a tag for each token: an entity that begins or ends within
a token is widened to whole tokens, one that overlaps a longer one is left out, and the result names
both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.base.files import refuse_existing, refuse_name
from foretext.base.representation import represented
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.sources import STANDARD_INPUT
from foretext.corpus.text_tokens import TextToken, joined_tokens, split_text
from foretext.data.rows.in_memory import BLANK_BETWEEN, TAGS, RowTexts
from foretext.data.rows.input_file import InputFile, input_files
from foretext.data.rows.label_formats import (
    LABEL_FORMATS,
    LabelTask,
    TaskFormat,
    TextSpan,
    task_format,
    write_tasks,
)
from foretext.data.rows.pairs import LabelledPair, PairsConfig, read_pairs
from foretext.data.rows.records import judged_records
from foretext.data.rows.settings import RowsConfig
from foretext.data.rows.spans import aligned_tokens
from foretext.data.rows.tagged import TOKENS, TaggedConfig, TaggedSentence, read_tagged
from foretext.data.rows.tagged_inputs import OF_TOKENS
from foretext.data.rows.texts import LabelledText, read_texts
from foretext.data.rows.token_lines import are_token_lines
from foretext.messages import message
from foretext.metrics import Notation, detect_notation, entity_spans

__all__ = ["ConversionTask", "ConvertedLabels", "PlacedMisfit", "convert_labels"]

ConversionTask = Literal["classification", "matching", "tagging"]
CONFIGS: dict[ConversionTask, type[Config]] = {
    "classification": RowsConfig,
    "matching": PairsConfig,
    "tagging": TaggedConfig,
}
NORMAL_FORM = "normalization"  # a setting of all three


class PlacedMisfit(NamedTuple):
    """An entity that tags cannot say as it was marked."""

    place: str  # file:line
    is_lost: bool  # it overlaps a longer one; else it was widened to whole tokens
    entity: str
    other: str  # the longer one, or what it became

    @property
    def sentence(self) -> str:
        """What became of it, as a person reads it."""
        key = "lost" if self.is_lost else "widened"
        known = {"place": self.place, "entity": self.entity, "other": self.other}
        return message(f"terminal.labels.{key}", **known)

    def record(self) -> dict[str, str]:
        """Return it as JSON has it."""
        key = "left_out_beside" if self.is_lost else "became"
        return {"place": self.place, "entity": self.entity, key: self.other}


@represented
@dataclass(frozen=True, repr=False)
class ConvertedLabels:
    """A file of labels that has been written in another format.

    Attributes:
        target: the file.
        format: that it has.
        task: what its rows teach.
        rows: texts, pairs or sentences.
        answers: labels of texts, or entities; of sentences without entities the tags of tokens.
        unlabelled: rows that nobody has labelled, and that are left out.
        misfits: the entities that it cannot say as they were marked.
        unclear: ``file:line`` of rows whose offsets were read as characters and may count UTF-16.
    """

    target: str
    format: TaskFormat
    task: ConversionTask
    rows: int
    answers: int
    unlabelled: int = 0
    misfits: tuple[PlacedMisfit, ...] = field(default=())
    unclear: tuple[str, ...] = ()

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of it, and JSON has."""
        return {
            "target": self.target, "format": self.format, "task": self.task, "rows": self.rows,
            "answers": self.answers, "unlabelled": self.unlabelled,
            "misfits": [misfit.record() for misfit in self.misfits],
            "unclear": list(self.unclear),
        }  # fmt: skip


@checked_arguments
def convert_labels(
    source: str | Path,
    target: str | Path,
    to: TaskFormat | None = None,
    *,
    task: ConversionTask | None = None,
    suggested: bool = False,
    rows: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> ConvertedLabels:
    """Write labelled rows in the format of another program.

    Args:
        source: a file, folder, glob or URL of rows, as `finetune` reads them.
        target: the file to write.
        to: its format; None: by its suffix.
        task: what the rows teach; None: as they look.
        suggested: write labels as suggestions, which a person has to check; not every format can.
        rows: settings of how rows are read, such as ``{"text": "body"}`` or ``{"tag": 4}``.
        overwrite: replace the file, if there is one.

    Raises:
        CorpusError: the rows cannot be read.
        SettingError: format or task are not clear, do not go together, or a setting is wrong.
        OutputError: there is such a file, or it cannot be written.
        MissingExtraError: a package for one of the formats is not installed.
    """
    path = Path(target)
    refuse_name(path)
    refuse_existing(path, overwrite=overwrite)
    if str(source) == STANDARD_INPUT:
        raise SettingError(message("files.rows.twice"))
    reading = {} if rows is None else dict(rows)
    seen = _seen(source, reading)
    found = task or seen.task(source)
    format = task_format(path, to, tagged=found == "tagging")
    if suggested:
        _refuse_suggestions(format)
    config = CONFIGS[found].checked({NORMAL_FORM: "none", **reading}, "rows")
    misfits: tuple[PlacedMisfit, ...] = ()
    unclear: tuple[str, ...] = ()
    if isinstance(config, TaggedConfig):
        sentences = read_tagged(source, config)
        is_of_tokens = LABEL_FORMATS[format].is_of_tokens
        unclear = tuple(
            row.place for row in sentences if row.raw is not None and row.raw.is_ambiguous
        )
        tasks = _of_sentences(sentences, is_of_tokens=is_of_tokens)
        if is_of_tokens:
            misfits = tuple(_misfits(sentences))
    elif isinstance(config, PairsConfig):
        tasks = _of_labels(read_pairs(source, config))
    else:
        assert isinstance(config, RowsConfig)
        tasks = _of_labels(read_texts(source, config))
    tasks = [each._replace(is_labelled=not suggested) for each in tasks]
    write_tasks(tasks, path, format)
    answers = sum(map(_num_answers, tasks))
    return ConvertedLabels(
        str(target), format, found, len(tasks), answers, seen.unlabelled, misfits, unclear
    )


def _num_answers(task: LabelTask) -> int:
    """Return the number of labels, of entities, or of tags that are of no entities."""
    if task.spans is None:
        return len(task.labels)
    return len(task.spans) or (0 if {*task.tags} <= {"O"} else len(task.tags))


def _refuse_suggestions(format: TaskFormat) -> None:
    """Refuse a format in which suggestions would be labels."""
    if LABEL_FORMATS[format].marks_suggestions:
        return
    able = [name for name, each in LABEL_FORMATS.items() if each.marks_suggestions]
    raise SettingError(
        f"suggested (--suggested) has no effect in {format}, which cannot tell a suggestion from "
        f"a person's label; give one of {', '.join(able)}, or leave it out."
    )


@dataclass
class _Seen:
    """What the rows of a source look like."""

    tokens: bool = False  # or spans
    labels: bool = False
    pairs: bool = False
    unlabelled: int = 0

    def task(self, source: str | Path) -> ConversionTask:
        """Return the task of such rows.

        Raises:
            SettingError: they have both labels and entities.
        """
        if self.tokens and (self.labels or self.pairs):
            raise SettingError(
                f"{source} has labels of texts and entities in them; say which of the two shall "
                "be written, by --task classification or --task tagging."
            )
        if self.tokens:
            return "tagging"
        return "matching" if self.pairs else "classification"

    def look(self, values: Mapping[Any, Any]) -> None:
        """Note what a row has."""
        lists = any(isinstance(values.get(name), list) for name in TOKENS)
        has_tags = lists and any(isinstance(values.get(name), list) for name in TAGS)
        self.tokens |= has_tags or bool(values.get("spans"))
        label = values.get("label")
        self.labels |= label is not None and label != []
        self.pairs |= {"text_a", "text_b"} <= {*values}


def _seen(source: str | Path, rows: Mapping[str, Any]) -> _Seen:
    seen = _Seen()
    reading = {name: value for name, value in rows.items() if name in ("encoding", "format")}
    for file in input_files(source, RowsConfig.checked(reading, "rows")):
        if file.has_records:
            for record in file.records():
                seen.look(record.values)
        elif _are_objects(file):
            for record, is_labelled in judged_records(file.lines(), file.name):
                seen.unlabelled += not is_labelled
                if is_labelled:
                    seen.look(record.values)
        else:
            suffix = PurePosixPath(without_compression_suffix(file.name)).suffix.lower()
            seen.tokens |= suffix in OF_TOKENS or are_token_lines(file.head)
            seen.pairs |= {"text_a", "text_b"} <= {*file.first.replace("\t", ",").split(",")}
    chosen = {*rows}
    seen.tokens |= bool(chosen & {"token", "tag"})
    seen.pairs |= bool(chosen & {"text_a", "text_b"})
    return seen


def _are_objects(file: InputFile) -> bool:
    return file.format == "jsonl" or file.first.lstrip().startswith(("{", "["))


def _of_labels(rows: Sequence[LabelledText] | Sequence[LabelledPair]) -> list[LabelTask]:
    choices = tuple(dict.fromkeys(label for row in rows for label in row.labels))
    return [
        LabelTask(_texts(row), labels=row.labels, choices=choices, place=row.place) for row in rows
    ]


def _texts(row: LabelledText | LabelledPair) -> dict[str, str]:
    names = [name for name in row._fields if name.startswith("text")]
    return {name: getattr(row, name) for name in names}


def _of_sentences(rows: Sequence[TaggedSentence], *, is_of_tokens: bool) -> list[LabelTask]:
    notation = detect_notation(row.tags for row in rows)
    texts = RowTexts([row.text for row in rows], are_tokens=True)
    closed = texts.are_characters
    return [_of_sentence(row, notation, closed=closed, is_of_tokens=is_of_tokens) for row in rows]


def _of_sentence(
    row: TaggedSentence, notation: Notation | None, *, closed: bool, is_of_tokens: bool
) -> LabelTask:
    """Return a sentence as the format needs it: with its own entities, or with those of its tags.

    Args:
        row: the sentence.
        notation: of all rows; None: their tags are of no entities.
        closed: whether tokens are characters, between which there are no blanks.
        is_of_tokens: whether entities have to fit tokens.
    """
    if row.raw is not None and row.raw.entities is not None and not is_of_tokens:
        text, given = row.raw.text, row.raw.tokens
        return LabelTask({"text": text}, tokens=given, spans=row.raw.entities, place=row.place)
    text, tokens = _placed(row, closed=closed)
    spans: list[TextSpan] = []
    if notation is not None or not is_of_tokens:
        spans = list(_spans(row.tags, tokens, notation))
    return LabelTask({"text": text}, tokens=tokens, spans=spans, tags=row.tags, place=row.place)


def _placed(row: TaggedSentence, *, closed: bool) -> tuple[str, Sequence[TextToken]]:
    """Return the text of a sentence, and its tokens there."""
    if row.raw is not None:
        given = row.raw.tokens
        return row.raw.text, split_text(row.raw.text) if given is None else given
    if closed:
        text = BLANK_BETWEEN.sub("", row.text)
        if (aligned := aligned_tokens(text, row.tokens)) is not None:
            return text, aligned
    return row.text, joined_tokens(row.tokens)


def _spans(
    tags: Sequence[str], tokens: Sequence[TextToken], notation: Notation | None
) -> Iterator[TextSpan]:
    """Yield the entities that tags say; tags of no entities mark each token by itself."""
    if notation is None:
        if {*tags} <= {"O"}:
            return
        for token, tag in zip(tokens, tags, strict=False):
            yield token.start, token.end, tag
        return
    for span in entity_spans(notation.read(tags)):
        yield tokens[span.start].start, tokens[span.end - 1].end, span.label


def _misfits(rows: Sequence[TaggedSentence]) -> Iterator[PlacedMisfit]:
    for row in rows:
        for misfit in row.misfits or ():
            yield PlacedMisfit(row.place, *misfit)
