"""What can explain its answers by words: `explain`, and what a class of models says for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, overload

from foretext.base.arguments import checked_arguments
from foretext.base.errors import SettingError
from foretext.tasks.explanation.explanation import Explanation, explained_words
from foretext.tasks.explanation.occlusion import OCCLUSION, occlude
from foretext.tasks.explanation.values import Values
from foretext.tasks.explanation.weighed import Asked, Weighed
from foretext.tasks.explanation.words import Texts, places_of, split_words

__all__ = ["MOST", "Explained", "Method"]

Method = Literal["auto", "linear", "occlusion", "gradient"]

MOST = 256  # rows that a network reads for one input, where nobody says


class Explained:
    """A model whose answers are labels or scores, or another one, which refuses."""

    title: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]
    explained_by: tuple[str, ...] = ()  # methods, the best one first; (): none

    @overload
    def explain(  # type: ignore[overload-overlap]  # a text is a sequence of texts, too
        self,
        inputs: str | tuple[str, ...],
        label: str | None = None,
        *,
        method: Method = "auto",
        most: int = MOST,
    ) -> Explanation: ...

    @overload
    def explain(
        self,
        inputs: Sequence[str] | Sequence[tuple[str, ...]],
        label: str | None = None,
        *,
        method: Method = "auto",
        most: int = MOST,
    ) -> list[Explanation]: ...

    @checked_arguments
    def explain(
        self,
        inputs: str | tuple[str, ...] | Sequence[str] | Sequence[tuple[str, ...]],
        label: str | None = None,
        *,
        method: Method = "auto",
        most: int = MOST,
    ) -> Explanation | list[Explanation]:
        """Say which words decided on an answer.

        Args:
            inputs: a text, or a tuple of the texts of `fields`; or a list of such.
            label: that is explained; None: of each input the most probable one.
            method: "linear" takes the answer of a linear model apart exactly; "occlusion" leaves
                out each word; "gradient" follows the gradients of a network from hidden words to
                the real ones (integrated gradients); "auto" is the first of `explained_by`.
            most: rows that a network reads for one input when words are left out, at most: of a
                longer text neighbouring words are weighed together.

        Raises:
            SettingError: the answers of this model have no words to explain them, or there is no
                such method or label.
        """
        chosen = self._chosen(method)
        is_single = isinstance(inputs, str | tuple)
        given = _as_inputs([inputs] if is_single else inputs, self.fields)  # type: ignore
        if not given:
            return []
        asked = Asked(given, [places_of(texts, self.word_spans) for texts in given], label)
        left_out = chosen == OCCLUSION
        weighed = occlude(self, asked, most) if left_out else self.weigh(asked, chosen)
        found = [
            _explanation(self.fields, texts, each, chosen)
            for texts, each in zip(given, weighed, strict=True)
        ]
        return found[0] if is_single else found

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return the values of all labels for each input."""
        raise NotImplementedError

    def num_rows(self, inputs: Sequence[Texts]) -> list[int]:
        """Return how many rows a network reads of each input."""
        return [1] * len(inputs)

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the words of a text start and end."""
        return split_words(text)

    def weigh(self, asked: Asked, method: str) -> list[Weighed]:
        """Weigh the words of each input by a method of `explained_by` other than occlusion."""
        raise NotImplementedError

    def _chosen(self, method: Method) -> str:
        known = self.explained_by
        if not known:
            raise SettingError(
                f"{self.title} cannot be explained by words: only labels and scores can, the "
                "answers of classification and matching."
            )
        if method == "auto":
            return known[0]
        if method not in known:
            raise SettingError(
                f"method = '{method}': the answers of this model can be explained by "
                f"{' or '.join(known)}."
            )
        return method


def _as_inputs(given: Sequence[str | Texts], fields: Sequence[str]) -> list[Texts]:
    """Return inputs as tuples of texts."""
    inputs = [(each,) if isinstance(each, str) else tuple(each) for each in given]
    for texts in inputs:
        if len(texts) != len(fields):
            needed = " and ".join(f"'{name}'" for name in fields)
            raise SettingError(
                f"explain takes inputs, or a list of inputs, that consist of {needed}; one of "
                f"these has {len(texts)} texts."
            )
    return inputs


def _explanation(fields: Sequence[str], texts: Texts, weighed: Weighed, method: str) -> Explanation:
    words = explained_words(texts, fields, weighed.places, weighed.weights.tolist())
    return Explanation(
        dict(zip(fields, texts, strict=True)), words, weighed.label, weighed.probability,
        weighed.value, weighed.base, method, weighed.num_predictions,
    )  # fmt: skip
