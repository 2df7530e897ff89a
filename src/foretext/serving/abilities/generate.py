"""Texts that a model writes after a prompt, token by token."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from foretext.serving.ability import Ability, estimated_tokens
from foretext.serving.token_texts import ScoredTokens, TokenTexts

if TYPE_CHECKING:
    from foretext.language_model import Continuation, NewToken

__all__ = ["Generate", "GenerateOptions", "Written"]

LEAST_TEMPERATURE = 1e-3  # below it all but the likeliest token have no chance in float32
LEAST_TOP_P = 1e-6

Prompt = str | tuple[int, ...]  # a text, or its ids, which are taken as they are


class GenerateOptions(NamedTuple):
    """How texts are written; see `LanguageModel.generate`."""

    max_new_tokens: int = 50
    temperature: float = 0.8
    top_k: int | None = None
    top_p: float | None = None
    num_samples: int = 1
    seed: int = 0
    stop: tuple[str, ...] = ()
    topn: int | None = None
    suffix: str | None = None

    @property
    def is_greedy(self) -> bool:
        """Whether always the likeliest token is taken."""
        return self.temperature < LEAST_TEMPERATURE or (
            self.top_p is not None and self.top_p < LEAST_TOP_P
        )

    def settled(self) -> GenerateOptions:
        """Return the options that draw the same texts, without numbers that float32 cannot take."""
        if self.is_greedy:
            return self._replace(temperature=0.0, top_k=None, top_p=None)
        return self._replace(top_p=None) if self.top_p == 1 else self


class Written(NamedTuple):
    """A text, and the tokens that it was written by."""

    continuation: Continuation
    tokens: list[NewToken]

    @property
    def mean_log_prob(self) -> float:
        """Of its tokens, if they were scored."""
        scores = [token.log_prob for token in self.tokens if token.log_prob is not None]
        return sum(scores) / max(len(scores), 1)


class Generate(Ability):
    """A prompt becomes texts, as by `LanguageModel.generate`.

    To a model that writes a text for another one (T5, BART) the prompt is that other text.
    """

    name: ClassVar[str] = "generate"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.texts = TokenTexts(model.tokenizer)

    @property
    def answers_prompts(self) -> bool:
        """Whether texts are written for the prompt, and do not continue it."""
        needs: bool = self.model.objective.needs_source
        return needs

    @property
    def writes_spans(self) -> bool:
        """Whether it writes what stands between a prompt and a suffix."""
        writes: bool = self.model.objective.writes_spans
        return writes

    def cost(self, item: Prompt) -> int:
        """Return the number of ids, or about that of a text."""
        return estimated_tokens(item) if isinstance(item, str) else len(item)

    def sample(self) -> tuple[Prompt, GenerateOptions]:
        """Return a prompt that one token continues."""
        return "a", GenerateOptions(max_new_tokens=1)

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Return the ids that the model reads of a prompt.

        Raises:
            CorpusError: an id is not one of the model's.
        """
        ids: list[int] = self.model.prompt_ids(prompt)
        return ids

    def prompt_text(self, prompt: Prompt) -> str:
        """Return a prompt as a text."""
        text: str = prompt if isinstance(prompt, str) else self.model.tokenizer.decode(prompt)
        return text

    def run(self, items: Sequence[Prompt], options: Hashable) -> list[list[Written]]:
        """Return the texts of each prompt; see `Ability.run`."""
        assert isinstance(options, GenerateOptions)
        return [self.write(item, options, _unwatched) for item in items]

    def write(
        self, prompt: Prompt, options: GenerateOptions, watch: Callable[[NewToken], object]
    ) -> list[Written]:
        """Return the texts of a prompt; `watch` gets each token, and ends the work if it raises."""
        tokens: list[list[NewToken]] = [[] for _ in range(options.num_samples)]

        def keep(token: NewToken) -> None:
            tokens[token.sample].append(token)
            watch(token)

        is_source = self.answers_prompts and options.suffix is None
        read = {"source": prompt} if is_source else {"prompt": prompt}
        found = self.model.generate(**read, **options.settled()._asdict(), watch=keep)
        return [Written(*each) for each in zip(found, tokens, strict=True)]

    def scored(self, tokens: Sequence[NewToken], before: int | None) -> ScoredTokens:
        """Return new tokens, one after another behind `before`, as pieces of text with scores."""
        return self.texts.scored(
            [token.id for token in tokens],
            [token.log_prob for token in tokens],
            [token.likeliest for token in tokens],
            before,
        )


def _unwatched(token: NewToken) -> None:
    """Let the model go on."""
