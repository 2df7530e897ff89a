"""How well an answer agrees with the answers of people.

English by the definition of SQuAD (Rajpurkar et al. 2016): case, punctuation, articles and white
space do not matter; F1 is that of the bags of words. Chinese by that of CMRC 2018 (Cui et al.
2019): case and some punctuation do not matter; F1 is that of the longest common run of characters.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from foretext.metrics.classification import share

__all__ = [
    "answer_scores",
    "best_threshold",
    "chinese_exact_match",
    "chinese_f1",
    "exact_match",
    "word_f1",
]

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)
_CHINESE_MARKS = str.maketrans("", "", "-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")
_PIECE = re.compile(  # a character of the script's range, a number, a word, a mark
    r"[\u4e00-\u9fa5]|\d+(?:[.,]\d+)+|[^\W\u4e00-\u9fa5]+|[^\w\s]"
)


def answer_scores(
    predictions: Mapping[str, str],
    answers: Mapping[str, Sequence[str]],
    language: Literal["english", "chinese"] = "english",
) -> dict[str, float]:
    """Return the mean exact match and F1 over questions, shares from 0 to 1.

    A question without answers (SQuAD 2.0) is answered by nothing: by "". Where some have answers
    and others have none, the figures of each part are added.

    Args:
        predictions: the answer to each question by its key; a question that is missing counts 0.
        answers: all right answers of each question.

    Raises:
        ValueError: there is no question.
    """
    if not answers:
        raise ValueError("one question or more is needed")
    parts = {
        "": list(answers),
        "_answered": [key for key, known in answers.items() if known],
        "_unanswerable": [key for key, known in answers.items() if not known],
    }
    shown = parts if parts["_answered"] and parts["_unanswerable"] else {"": parts[""]}
    return {
        f"{name}{part}": _mean(measure, keys, predictions, answers)
        for part, keys in shown.items()
        for name, measure in _MEASURES[language].items()
    }


def exact_match(prediction: str, answers: Sequence[str]) -> float:
    """1 where the prediction is one of the answers, else 0; no answers mean ""."""
    plain = " ".join(_words(prediction))
    return float(any(plain == " ".join(_words(answer)) for answer in _real(answers) or [""]))


def word_f1(prediction: str, answers: Sequence[str]) -> float:
    """Return the F1 of words with the answer that is most like the prediction; none means ""."""
    words = _words(prediction)
    return max(_bag_f1(words, _words(answer)) for answer in _real(answers) or [""])


def chinese_exact_match(prediction: str, answers: Sequence[str]) -> float:
    """1 where the prediction is one of the answers but for case and punctuation, else 0."""
    plain = _without_marks(prediction)
    return float(any(plain == _without_marks(answer) for answer in answers or [""]))


def chinese_f1(prediction: str, answers: Sequence[str]) -> float:
    """Return the F1 of the longest common run with the answer that has the best one.

    Chinese counts by characters, other scripts by words; these are cut at punctuation here, where
    the script of CMRC 2018 asks nltk.
    """
    pieces = _pieces(prediction)
    return max(_run_f1(pieces, _pieces(answer)) for answer in answers or [""])


def best_threshold(
    margins: ArrayLike, answered: ArrayLike, unanswered: ArrayLike
) -> tuple[float, float]:
    """Return the margin above which a question is better left without an answer, and the mean then.

    Args:
        margins: (N,) by how much no answer is preferred to the best one.
        answered: (N,) the score of the best answer.
        unanswered: (N,) the score of no answer.

    Raises:
        ValueError: there is no question.
    """
    margin, gain, loss = (
        np.asarray(x, np.float64) for x in (margins, answered, unanswered)
    )  # (N,)
    if not margin.size:
        raise ValueError("one question or more is needed")
    order = np.argsort(margin, kind="stable")
    edges, firsts = np.unique(margin[order], return_index=True)
    totals = loss.sum() + np.concatenate([[0.0], np.cumsum((gain - loss)[order])])
    ends = np.append(firsts[1:], margin.size)  # answered: all up to the edge
    choices = np.concatenate([[np.nextafter(edges[0], -np.inf)], edges])
    means = totals[np.concatenate([[0], ends])] / margin.size
    best = int(np.argmax(means))
    return float(choices[best]), float(means[best])


def _mean(
    measure: Callable[[str, Sequence[str]], float],
    keys: Iterable[str],
    predictions: Mapping[str, str],
    answers: Mapping[str, Sequence[str]],
) -> float:
    scores = [
        measure(predictions[key], answers[key]) if key in predictions else 0.0 for key in keys
    ]
    return share(sum(scores), len(scores))


def _real(answers: Sequence[str]) -> list[str]:
    """Return the answers of which a word is left, as the script of SQuAD 2.0 does."""
    return [answer for answer in answers if _words(answer)]


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_MARKS)).split()


def _bag_f1(words: list[str], right: list[str]) -> float:
    if not (words and right):
        return float(words == right)
    common = (Counter(words) & Counter(right)).total()
    return 2 * common / (len(words) + len(right))


def _without_marks(text: str) -> str:
    return text.lower().strip().translate(_CHINESE_MARKS)


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(_without_marks(text))


def _run_f1(pieces: list[str], right: list[str]) -> float:
    if not (pieces and right):
        return float(pieces == right)
    return 2 * _longest_run(pieces, right) / (len(pieces) + len(right))


def _longest_run(a: list[str], b: list[str]) -> int:
    """Return the length of the longest run of pieces that both have."""
    longest, ends = 0, [0] * (len(b) + 1)  # ends[j]: of the run that ends before b[j]
    for piece in a:
        ends = [0, *(ends[j] + 1 if piece == other else 0 for j, other in enumerate(b))]
        longest = max(longest, *ends)
    return longest


_MEASURES: dict[str, dict[str, Callable[[str, Sequence[str]], float]]] = {
    "english": {"exact_match": exact_match, "f1": word_f1},
    "chinese": {"exact_match": chinese_exact_match, "f1": chinese_f1},
}
