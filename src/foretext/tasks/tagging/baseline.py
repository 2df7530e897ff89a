"""The most frequent tag of each word: what a tagger has to beat."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.data.rows import TaggedSentence
from foretext.heads.tag_set import TagSet
from foretext.tasks.baseline import Baseline
from foretext.tasks.tagging.answers import TagAnswers
from foretext.tasks.tagging.rows import found_in, in_own_notation

__all__ = ["WordTagBaseline", "tag_baseline", "tag_majority"]


class WordTagBaseline:
    """The tag that each word had most often; unknown words get the most frequent tag of all.

    Attributes:
        classes_: (C,) tags, sorted, after `fit`.
    """

    def fit(self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Self:
        """Count the tags of words.

        Raises:
            CorpusError: there is no token.
        """
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for tokens, own in zip(sentences, tags, strict=True):
            for token, tag in zip(tokens, own, strict=True):
                counts[token][tag] += 1
        total = sum(counts.values(), Counter[str]())
        if not total:
            raise CorpusError("There is no tagged token; give sentences with tags.")
        self.classes_ = tuple(sorted(total))
        self._rates = {token: self._shares(tags) for token, tags in counts.items()}
        self._unknown = self._shares(total)
        return self

    def predict(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return a tag for each token; the first in the alphabet of equally frequent ones."""
        return [
            [self.classes_[best] for best in shares.argmax(axis=1)]
            for shares in self.predict_proba(sentences)
        ]

    def predict_proba(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float64]]:
        """Return, for each sentence, how often its words had each tag, (T, C), as a share."""
        empty = np.zeros((0, len(self.classes_)))
        return [
            np.array([self._rates.get(token, self._unknown) for token in tokens])
            if tokens
            else empty
            for tokens in sentences
        ]

    def _shares(self, counts: Counter[str]) -> NDArray[np.float64]:
        return np.array([counts[tag] for tag in self.classes_]) / counts.total()


def tag_baseline(rows: Sequence[TaggedSentence]) -> Baseline:
    """Learn the most frequent tag of each word.

    Raises:
        CorpusError: there is no tagged token, or all have the same tag.
    """
    tag_set, plain = _tag_set(rows), in_own_notation(rows)
    learned = WordTagBaseline().fit([row.tokens for row in plain], [row.tags for row in plain])

    def answers(others: Sequence[TaggedSentence]) -> TagAnswers:
        return TagAnswers(learned.predict([row.tokens for row in others]), tag_set)

    return Baseline("the most frequent tag of each word", answers)


def tag_majority(rows: Sequence[TaggedSentence]) -> Baseline:
    """Give every token the tag of no entity, or, where tags are not of entities, the commonest."""
    tag_set = _tag_set(rows)
    of_entities = tag_set.scheme is not None
    counts = Counter(tag for row in rows for tag in row.tags)
    tag = "O" if of_entities else counts.most_common(1)[0][0]

    def answers(others: Sequence[TaggedSentence]) -> TagAnswers:
        return TagAnswers([[tag] * len(row.tokens) for row in others], tag_set)

    return Baseline("no entity" if of_entities else "the most frequent tag", answers)


def _tag_set(rows: Sequence[TaggedSentence]) -> TagSet:
    found = found_in(rows)
    return TagSet(found["labels"], found["scheme"], form=found["form"])
