"""How likely each token of a text is to a causal model, and which would have been likelier."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from foretext.serving.ability import Ability, estimated_tokens
from foretext.serving.token_texts import ScoredTokens, TokenTexts

__all__ = ["Likelihood", "LikelihoodOptions", "ScoredText"]

CONTEXT = 8  # tokens that decide how the next one is written

Prompt = str | tuple[int, ...]  # a text, or its ids, which are taken as they are


class LikelihoodOptions(NamedTuple):
    """What a request wants beside the log-probability of each token."""

    topn: int = 0  # the likeliest tokens at each place


class ScoredText(NamedTuple):
    """A text, and the token that the model would write next."""

    num_tokens: int  # that were read
    text: str
    tokens: ScoredTokens  # of the text, without those that the tokenizer's template puts before it
    following: ScoredTokens  # the likeliest next token alone
    new_text: str | None  # of that token; None: it ends a text


class Likelihood(Ability):
    """A text becomes its tokens with their log-probabilities: `LanguageModel.token_scores`."""

    name: ClassVar[str] = "likelihood"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.texts = TokenTexts(model.tokenizer)

    def cost(self, item: Prompt) -> int:
        """Return the number of ids, or about that of a text."""
        return estimated_tokens(item) if isinstance(item, str) else len(item)

    def run(self, items: Sequence[Prompt], options: Hashable) -> list[ScoredText]:
        """Return each text with its scores; see `Ability.run`."""
        assert isinstance(options, LikelihoodOptions)
        rows = list(map(self.model.prompt_ids, items))
        found = self.model.token_scores(rows, topn=max(options.topn, 1))
        return [self._scored(*each, options.topn) for each in zip(items, rows, found, strict=True)]

    def _scored(self, item: Prompt, row: list[int], scores: Any, topn: int) -> ScoredText:
        text = item if isinstance(item, str) else self.model.tokenizer.decode(item)
        own = self.model.tokenizer.encode(item) if isinstance(item, str) else item
        first = len(row) - len(own)  # of the text's own tokens
        likeliest = [(), *(places[:topn] for places in scores.likeliest[:-1])]
        before = row[first - 1] if first else None
        tokens = self.texts.scored(
            row[first:], [None, *scores.log_probs][first:], likeliest[first:], before
        )
        new, log_prob = scores.likeliest[-1][0]
        following = self.texts.scored([new], [log_prob], [scores.likeliest[-1][:topn]], row[-1])
        return ScoredText(len(row), text, tokens, following, self._text_after(row, new))

    def _text_after(self, row: list[int], new: int) -> str | None:
        if new == self.model.objective.end:
            return None
        decode, context = self.model.tokenizer.decode, row[-CONTEXT:]
        text: str = decode([*context, new])[len(decode(context)) :]
        return text
