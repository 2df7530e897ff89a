"""What tokenizers learn from and how they cut: merges one by one, candidate cuts of a word."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import numpy as np

from foretext.base.errors import CorpusError
from foretext.base.parsing import parse_json
from foretext.corpus.blocks import BLOCK, Blocks
from foretext.messages import MessageTable
from foretext.shown import Cell, Note, Part, Shown, Table, TokenLine, TokenLines
from foretext.tokenizers.merges import MergeStep, Merging, Rules
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.token_names import marked_token, shown_token
from tokenizers import models

__all__ = ["MergeExamples", "candidate_cuts", "cuts_shown", "pieces_shown", "show_cuts", "words_of"]

said = MessageTable("tokenizers", "column.")
NUM_MERGES = 10
MOST_WORDS = 12  # rows of a table of words
MOST_CUTS = 5  # of a word, the most probable ones
LONGEST = 24  # characters of a word that is cut before a person's eyes
WORD = re.compile(r"\w+")
DRAWN = 3  # characters that a drawn word has at least

Named = Callable[[str], str]


def named_by(tokenizer: SubwordTokenizer) -> Named:
    """Return what makes tokens readable: bytes as text, and blanks that can be seen."""
    return lambda token: marked_token(tokenizer, token)


@dataclass(frozen=True, eq=False)
class MergeExamples:
    """What byte pair encoding and WordPiece learn from.

    Attributes:
        words: W, as the counter cuts the text.
        counts: (W,).
        rules: which tokens can be learned.
        tokenizer: that was learned of them.
        unknown: the token of what has none; None: there is nothing without.
    """

    words: Sequence[str]
    counts: np.ndarray
    rules: Rules
    tokenizer: SubwordTokenizer
    unknown: str | None = None

    def shown(self, number: int, seed: int) -> list[Shown]:
        """Show the words, the first merges, and how so many words are cut."""
        merging = Merging(self.words, self.counts, self.rules)
        order = np.argsort(-self.counts, kind="stable")
        first = Shown(said("words.title"), tuple(self._words(merging, order)))
        steps = list(merging.steps(NUM_MERGES))
        merges = Shown(said("merges.title"), tuple(self._merges(merging, order, steps)))
        cut = tuple(self._cuts(merging, steps, number, seed))
        return [first, merges, Shown(said("cuts.title"), cut)]

    @property
    def _name(self) -> Named:
        return named_by(self.tokenizer)

    def _spelled(self, symbols: Sequence[str]) -> str:
        return " ".join(map(self._name, symbols))

    def _words(self, merging: Merging, order: np.ndarray) -> Iterator[Part]:
        """Show the words with their counts, as symbols of the alphabet."""
        total, special = int(self.counts.sum()), len(self.rules.special_tokens)
        sizes = {"words": len(self.words), "tokens": total, "special": special}
        yield Note(said("words.note", **sizes, symbols=merging.num_first - special))
        yield self._word_table(merging, order, said("words.table"))

    def _word_table(self, merging: Merging, order: np.ndarray, title: str) -> Table:
        symbols = merging.words()
        rows = [
            (self._name(self.words[word]), int(self.counts[word]), self._spelled(symbols[word]))
            for word in order[:MOST_WORDS].tolist()
        ]
        return Table.of(title, said.columns("word", "count", "symbols"), rows)

    def _merges(
        self, merging: Merging, order: np.ndarray, steps: Sequence[MergeStep]
    ) -> Iterator[Part]:
        """Show each merge with the count of its pair, and what the words are after all of them."""
        by_score = bool(self.rules.prefix)  # WordPiece
        yield Note(said("merges.scores" if by_score else "merges.note"))
        columns = ["step", "left", "right", "pair_count", *(["score"] if by_score else []), "token"]
        rows: list[list[Cell]] = []
        for number, step in enumerate(steps, 1):
            score = [score_of(step)] if by_score else []
            pair = [self._name(step.left), self._name(step.right)]
            rows.append([number, *pair, step.pair_count, *score, self._name(step.token)])
        yield Table.of(said("merges.table"), said.columns(*columns), rows)
        yield self._word_table(merging, order, said("merges.after", number=len(steps)))

    def _cuts(
        self, merging: Merging, steps: Sequence[MergeStep], number: int, seed: int
    ) -> Iterator[Part]:
        """Show how words are cut: by merges in their order, and by the longest match."""
        chosen = self._chosen(number, seed)
        yield Note(said("cuts.wordpiece" if self.rules.prefix else "cuts.bpe", number=len(steps)))
        symbols = merging.words()
        greedy = greedy_cutter(merging.tokens, self.rules, self.unknown)
        rows = [
            (
                self._name(self.words[word]),
                self._spelled(symbols[word]),
                self._spelled(greedy(self.words[word])),
                " ".join(map(self._name, cut_by(self.tokenizer, self._text(word)))),
            )
            for word in chosen
        ]
        sizes = {"number": len(steps), "size": self.tokenizer.vocab_size}
        columns = said.columns("word", "merged", "greedy", "learned", **sizes)
        yield Table.of(said("cuts.table"), columns, rows)
        if chosen and not self.rules.prefix:
            yield self._stepwise(chosen[0], steps)

    def _stepwise(self, word: int, steps: Sequence[MergeStep]) -> TokenLines:
        """Show a word after each merge that changes it."""
        merging = Merging(self.words, self.counts, self.rules)
        symbols = merging.words()[word]
        lines = [TokenLine.of(said("cuts.begin"), map(self._name, symbols))]
        for number, step in enumerate(steps, 1):
            joined = join(symbols, step)
            if joined != symbols:
                pair = f"{number}. {self._name(step.left)}+{self._name(step.right)}"
                lines.append(TokenLine.of(pair, map(self._name, joined)))
            symbols = joined
        return TokenLines(said("cuts.steps", word=self._name(self.words[word])), tuple(lines))

    def _chosen(self, number: int, seed: int) -> list[int]:
        """Draw some words of some length, the longest of them first."""
        fits = [word for word, text in enumerate(self.words) if DRAWN <= len(text) <= LONGEST]
        among = fits or list(range(len(self.words)))
        drawn = np.random.default_rng(seed).permutation(len(among))[:number]
        return sorted((among[at] for at in drawn), key=lambda word: -len(self.words[word]))

    def _text(self, word: int) -> str:
        """Return a word as a text that the tokenizer can cut."""
        return shown_token(self.tokenizer, self.words[word])


def score_of(step: MergeStep) -> float:
    """Return the score of a pair by likelihood (Schuster and Nakajima 2012), up to a factor."""
    return step.pair_count / (step.left_count * step.right_count)


def join(symbols: list[str], step: MergeStep) -> list[str]:
    """Return the symbols with each pair of a merge joined, from left to right."""
    joined: list[str] = []
    for symbol in symbols:
        if joined and (joined[-1], symbol) == (step.left, step.right):
            joined[-1] = step.token
        else:
            joined.append(symbol)
    return joined


def greedy_cutter(
    tokens: Sequence[str], rules: Rules, unknown: str | None
) -> Callable[[str], list[str]]:
    """Return what cuts a word by the longest token at each position, as WordPiece does."""
    unknown = unknown or "[UNK]"
    ids = {token: index for index, token in enumerate(dict.fromkeys([*tokens, unknown]))}
    model = models.WordPiece(
        ids,
        unk_token=unknown,
        max_input_chars_per_word=10_000,
        continuing_subword_prefix=rules.prefix,
    )
    return lambda word: [token.value for token in model.tokenize(word + rules.suffix)]


def cut_by(tokenizer: SubwordTokenizer, text: str) -> list[str]:
    """Return the tokens of a text, without those that frame it."""
    tokens: list[str] = tokenizer.library.encode(text, add_special_tokens=False).tokens
    return tokens


def words_of(corpus: Blocks, number: int, seed: int) -> list[str]:
    """Draw some words from the beginning of a corpus, the longest of them first."""
    text = next(corpus.blocks(BLOCK), "")
    found = list(dict.fromkeys(word[:LONGEST] for word in islice(WORD.findall(text), 10_000)))
    fits = [word for word in found if len(word) >= DRAWN] or found
    drawn = np.random.default_rng(seed).permutation(len(fits))[:number]
    return sorted((fits[at] for at in drawn), key=lambda word: (-len(word), word))


def show_cuts(
    tokenizer: type[SubwordTokenizer], config: Any, corpus: Blocks, number: int, seed: int
) -> list[Shown]:
    """Learn a tokenizer, and show how so many words are cut."""
    learned = cast(Any, tokenizer).learn(config, corpus)
    return [cuts_shown(learned, words_of(corpus, number, seed))]


def cuts_shown(tokenizer: SubwordTokenizer, words: Sequence[str]) -> Shown:
    """Show how a tokenizer cuts words, with the ids of their tokens."""
    name = named_by(tokenizer)
    rows = []
    for word in words:
        tokens = cut_by(tokenizer, word)
        ids = [tokenizer.library.token_to_id(token) for token in tokens]
        rows.append((word, " ".join(map(name, tokens)), " ".join(map(str, ids))))
    columns = said.columns("word", "tokens", "ids")
    note = Note(said("cuts.given", size=tokenizer.vocab_size))
    return Shown(said("cuts.title"), (note, Table.of(said("cuts.table"), columns, rows)))


def pieces_shown(
    tokenizer: SubwordTokenizer, words: Mapping[str, int], number: int, seed: int
) -> list[Shown]:
    """Show the pieces of a unigram model, and candidate cuts of so many words."""
    scores = piece_scores(tokenizer)
    chosen = sorted(scores, key=lambda piece: -scores[piece])
    sizes = {"pieces": len(chosen), "words": len(words), "tokens": sum(words.values())}
    rows = [(piece, scores[piece], float(np.exp(scores[piece]))) for piece in chosen[:MOST_WORDS]]
    columns = said.columns("piece", "log", "probability")
    table = Table.of(said("pieces.table"), columns, rows)
    first = Shown(said("pieces.title"), (Note(said("pieces.note", **sizes)), table))
    fits = [word for word in words if DRAWN < len(word) <= LONGEST] or list(words)
    drawn = np.random.default_rng(seed).permutation(len(fits))[:number]
    return [first, *(_candidates(fits[at], scores) for at in sorted(drawn))]


def piece_scores(tokenizer: SubwordTokenizer) -> dict[str, float]:
    """Return the logarithms of the probabilities of all pieces but the special tokens."""
    settings = parse_json(tokenizer.library.to_str(), "the tokenizer", CorpusError)
    special = {token.content for token in tokenizer.library.get_added_tokens_decoder().values()}
    return {piece: score for piece, score in settings["model"]["vocab"] if piece not in special}


def _candidates(word: str, scores: Mapping[str, float]) -> Shown:
    found = candidate_cuts(word, scores, MOST_CUTS)
    total = np.logaddexp.reduce([score for score, _ in found]) if found else 0.0
    rows = [
        (" ".join(cut), " + ".join(f"{scores[piece]:.2f}" for piece in cut), score, share)
        for score, cut in found
        for share in [float(np.exp(score - total))]
    ]
    names = ("cut", "sum", "log", "among")
    columns = said.columns(*names, number=len(rows))
    table = Table.of(said("candidates.table"), columns, rows)
    note = Note(said("candidates.note" if found else "candidates.none"))
    return Shown(said("candidates.title", word=word), (note, table) if found else (note,))


def candidate_cuts(
    word: str, scores: Mapping[str, float], number: int
) -> list[tuple[float, tuple[str, ...]]]:
    """Return the most probable cuts of a word into pieces, each with its logarithm, best first."""
    best: list[list[tuple[float, tuple[str, ...]]]] = [[(0.0, ())]]
    for end in range(1, len(word) + 1):
        reached = (
            (score + scores[piece], (*cut, piece))
            for begin in range(end)
            if (piece := word[begin:end]) in scores
            for score, cut in best[begin]
        )
        best.append(heapq.nlargest(number, reached, key=lambda found: found[0]))
    return best[-1]
