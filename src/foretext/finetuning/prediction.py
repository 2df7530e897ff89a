"""Lines of text in, answers of a trained task out, a record each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from foretext.errors import CorpusError, SettingError
from foretext.parsing import parse_json

__all__ = ["predictions", "shown"]

BLOCK = 4096  # lines answered at once

Record = dict[str, Any]
Top = tuple[int | None, float]  # answers of a line at most, and the least probability of each


def predictions(
    model: Any, lines: Iterable[str], *, k: int | None = None, threshold: float | None = None
) -> Iterator[Record]:
    """Yield the answer to each line.

    Args:
        model: as `foretext.finetuning.run.load_task` opens it.
        lines: a text each; for matching ``text<TAB>text``, for questions
            ``question<TAB>passage``; or a JSON object with these under their names (text; text_a
            and text_b; question and context).
        k: answers to a line, at most; None: one, or any number of labels where texts have several.
        threshold: probability below which an answer is left out; None: none is, or one half where
            texts have several labels.

    Raises:
        CorpusError: a line is not what it should be.
        SettingError: `k` or `threshold` has no effect on the answers of the model.
    """
    answer, names = _kind(model)
    top = _top(model, k, threshold)
    numbered = enumerate(lines, 1)
    while block := list(islice(numbered, BLOCK)):
        inputs = [_parts(line, number, names) for number, line in block]
        for given, answered in zip(inputs, answer(model, inputs, top), strict=True):
            yield {**dict(zip(names, given, strict=True)), **answered}


def shown(record: Record) -> str:
    """Return a record as a line for people: the answer, a tab, what was asked."""
    asked = [record[name] for name in ("text", "text_a", "text_b", "question") if name in record]
    if "labels" in record:
        answer = "  ".join(f"{each['label']} {each['chance']:.4f}" for each in record["labels"])
    elif "score" in record:
        answer = f"{record['score']:.4f}"
    elif "spans" in record:
        answer = "  ".join(f"{each['label']}: {each['text']}" for each in record["spans"])
    elif "tags" in record:
        answer = " ".join(f"{token}/{tag}" for token, tag in record["tags"])
    else:
        answer = "  ".join(f"{each['text']} {each['chance']:.4f}" for each in record["answers"])
    return "\t".join([answer, *asked])


def _kind(model: Any) -> tuple[Callable[[Any, list[Any], Top], list[Record]], Sequence[str]]:
    """How a model is asked, and what of."""
    if hasattr(model, "spans"):
        return _tagged, ("text",)
    if hasattr(model, "answers"):
        return _answered, ("question", "context")
    if hasattr(model, "has_scores"):
        return (_scored if model.has_scores else _labelled), ("text_a", "text_b")
    return _labelled, ("text",)


def _top(model: Any, k: int | None, threshold: float | None) -> Top:
    if hasattr(model, "spans"):
        what, heeds_threshold = "a tagger", model.task.tags.scheme is not None
        _refuse("-k", k, what)
        _refuse("--threshold", None if heeds_threshold else threshold, what)
    elif getattr(model, "has_scores", False):
        _refuse("-k", k, "scores of pairs")
        _refuse("--threshold", threshold, "scores of pairs")
    fasttext_loss = getattr(getattr(model, "config", None), "loss", None)
    several = getattr(model, "is_multi_label", False) or fasttext_loss == "ova"
    if several and k is None:
        return None, 0.5 if threshold is None else threshold
    return k or 1, threshold or 0.0


def _refuse(option: str, given: float | None, what: str) -> None:
    if given is not None:
        raise SettingError(f"{option} has no effect on {what}; leave it out.")


def _parts(line: str, number: int, names: Sequence[str]) -> list[str]:
    """Take a line apart; a text that begins as JSON does and is none is a text."""
    values = _object(line)
    if values is not None:
        if absent := [name for name in names if not isinstance(values.get(name), str)]:
            raise CorpusError(f"line {number}: the JSON object has no text '{absent[0]}'.")
        return [values[name] for name in names]
    parts = line.split("\t") if len(names) > 1 else [line]
    if len(parts) != len(names):
        raise CorpusError(
            f"line {number}: {len(parts)} fields where {'<TAB>'.join(names)} are expected; JSON "
            "objects with these names will do as well."
        )
    return parts


def _object(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        values: dict[str, Any] = parse_json(line, "", CorpusError)
    except CorpusError:
        return None
    return values


def _labelled(model: Any, inputs: list[Any], top: Top) -> list[Record]:
    asked = [tuple(each) if len(each) > 1 else each[0] for each in inputs]
    return [
        {"labels": [{"label": label, "chance": round(chance, 6)} for label, chance in row]}
        for row in model.predict_top(asked, *top)
    ]


def _scored(model: Any, inputs: list[Any], top: Top) -> list[Record]:
    return [{"score": round(score, 6)} for score in model.predict([tuple(i) for i in inputs])]


def _tagged(model: Any, inputs: list[Any], top: Top) -> list[Record]:
    texts = [text for (text,) in inputs]
    if model.task.tags.scheme is None:
        tokens = model.tokens(texts)
        return [
            {"tags": [[token.text, tag] for token, tag in zip(row, tags, strict=True)]}
            for row, tags in zip(tokens, model.predict(texts), strict=True)
        ]
    return [
        {"spans": [_span(span) for span in spans if span.probability >= top[1]]}
        for spans in model.spans(texts)
    ]


def _span(span: Any) -> Record:
    record: Record = span._asdict()
    chance = round(record.pop("probability"), 6)
    return {**record, "chance": chance}


def _answered(model: Any, inputs: list[Any], top: Top) -> list[Record]:
    k, threshold = top
    asked = [tuple(each) for each in inputs]
    found = [[each] for each in model.answers(asked)] if k == 1 else model.predict_top(asked, k)
    return [
        {"answers": [
            {"text": each.text, "start": each.start, "end": each.end,
             "chance": round(each.probability, 6)}
            for each in row if each.probability >= threshold
        ]}
        for row in found
    ]  # fmt: skip
