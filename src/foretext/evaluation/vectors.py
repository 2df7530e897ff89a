"""Word vectors against human judgements: word pairs, pairs of texts, and analogy questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.artifact import load_vectors
from foretext.base.errors import EvaluationError
from foretext.base.parsing import read_bytes
from foretext.data.rows import PairsConfig, found_pairs_config, names_text_pairs
from foretext.evaluation.figures import Evaluation, Measure
from foretext.evaluation.text_pairs import evaluate_text_pairs, rows_of_pairs
from foretext.vectors.analogy_scores import AnalogyResult
from foretext.vectors.word_pairs import WordPairResult, read_pair_file
from foretext.vectors.word_vectors import WordVectors

__all__ = ["evaluate_vectors", "measure_of_vectors"]

SAMPLE = 5  # lines
JSON = (b"{", b"[")


def evaluate_vectors(
    vectors: WordVectors,
    paths: Sequence[str | Path],
    *,
    restrict_vocab: int = 300_000,
    rows: PairsConfig | None = None,
) -> list[Evaluation]:
    """Score vectors on each file, which is of one of three kinds.

    A file with a line that begins with ``:``, or with four words a line, holds analogies. Others
    hold pairs: of words, or of texts, whose embeddings are compared.

    Args:
        vectors: that are judged.
        paths: of the files.
        restrict_vocab: words that may answer analogies, the most frequent ones.
        rows: which columns of pairs hold what; None: they are found.

    Raises:
        EvaluationError: a file cannot be read, a line in it is wrong, or none of it is known.
        CorpusError: likewise, of a file of pairs of texts.
    """
    return [_evaluated(vectors, Path(path), restrict_vocab, rows) for path in paths]


def measure_of_vectors(run: Path, options: Mapping[str, Any]) -> Measure:
    """Return what measures word vectors on a file; see `foretext.kinds.Kind.evaluate`."""
    vectors, rows = load_vectors(run), rows_of_pairs(options)
    restricted = {name: options[name] for name in ("restrict_vocab",) if name in options}
    return lambda path: evaluate_vectors(vectors, [path], rows=rows, **restricted)[0].as_dict()


def _evaluated(
    vectors: WordVectors, path: Path, restrict_vocab: int, rows: PairsConfig | None
) -> Evaluation:
    content = read_bytes(path, EvaluationError)
    if rows is None and _holds_analogies(content):
        answered = vectors.evaluate_word_analogies(path, restrict_vocab=restrict_vocab)
        return Evaluation(path, _of_analogies(answered))
    if content.lstrip().startswith(JSON) or (rows is not None and rows.score is None):
        return evaluate_text_pairs(vectors, path, rows or found_pairs_config(path))
    columns = None if rows is None else [str(column) for column in rows.columns]
    if rows is None and _has_labels(path):
        return evaluate_text_pairs(vectors, path, found_pairs_config(path))
    if read_pair_file(path, columns).holds_texts:
        return evaluate_text_pairs(vectors, path, rows or found_pairs_config(path))
    return Evaluation(path, _of_pairs(vectors.evaluate_word_pairs(path, columns=columns)))


def _has_labels(path: Path) -> bool:
    """Whether columns have the names of texts with labels, which word pairs never have."""
    return names_text_pairs(path) and found_pairs_config(path).score is None


def _of_pairs(result: WordPairResult) -> dict[str, Any]:
    return {
        "kind": "word pairs",
        "spearman": _number(result.spearman),
        "pearson": _number(result.pearson),
        "pairs": result.num_pairs,
        "composed_of_ngrams": result.num_composed,
        "out_of_vocabulary": result.num_skipped,
        "columns": list(result.columns),
        "unknown_words": list(result.unknown_words),
        "composed_words": list(result.composed_words),
    }


def _of_analogies(result: AnalogyResult) -> dict[str, Any]:
    kinds = {}
    if result.are_googles:
        kinds["semantic"] = _number(result.semantic.accuracy)
        kinds["syntactic"] = _number(result.syntactic.accuracy)
    return {
        "kind": "analogies",
        "accuracy": _number(result.accuracy),
        **kinds,
        "questions": result.total.num_asked,
        "out_of_vocabulary": result.total.num_skipped,
        "sections": {score.name: _number(score.accuracy) for score in result.sections},
    }


def _holds_analogies(content: bytes) -> bool:
    """Whether there are section lines, or four words in each of the first lines."""
    if content.startswith(b":") or b"\n:" in content or b"\r:" in content:
        return True
    lines = [line.split() for line in content.splitlines() if line.strip()]
    first = [words for words in lines if not words[0].startswith(b"#")][:SAMPLE]
    return bool(first) and all(len(words) == 4 and not _is_number(words[3]) for words in first)


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _number(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None
