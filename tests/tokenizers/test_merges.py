from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.corpus.counts import count_words
from foretext.tokenizers.bpe import Splitter
from foretext.tokenizers.byte_pieces import BytePieces
from foretext.tokenizers.merges import Merges, Rules, merge_pairs
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.word_encoder import LibraryWords
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

BERT_WORDS = pre_tokenizers.BertPreTokenizer()

LETTERS = "abcdefghijklmnopqrstuvwxyz_"
COUNTS = {"fast_": 4, "faster_": 3, "tall_": 5, "taller_": 4}


def learned(counts: dict[str, int], **rules: object) -> Merges:
    frequencies = np.array([*counts.values()], np.int64)
    return merge_pairs([*counts], frequencies, Rules(**rules))  # type: ignore[arg-type]


def by_library(counts: dict[str, int], **rules: object) -> Merges:
    """What the trainer of the `tokenizers` library learns of the same counts."""
    names = {"min_count": "min_frequency", "prefix": "continuing_subword_prefix"}
    names |= {"suffix": "end_of_word_suffix", "alphabet": "initial_alphabet"}
    if "max_token_length" in rules:  # the library's tokens stay below it
        rules["max_token_length"] += 1  # type: ignore[operator]
    given = {names.get(name, name): value for name, value in rules.items()}
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Split("\n", "removed")
    lines = ((word + "\n") * count for word, count in counts.items())
    library.train_from_iterator(lines, trainers.BpeTrainer(show_progress=False, **given))
    model = json.loads(library.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    return Merges(tokens, [(left, right) for left, right in model["merges"]])


def twin(counts: dict[str, int], vocab_size: int, min_count: int) -> Merges:
    """The textbook: count all pairs anew for each merge, take the first of the most frequent."""
    words = [list(word) for word in counts]
    tokens = sorted(set("".join(counts)))
    pairs: list[tuple[str, str]] = []
    while len(tokens) < vocab_size:
        found: Counter[tuple[str, str]] = Counter()
        for word, count in zip(words, counts.values(), strict=True):
            for pair in zip(word, word[1:]):  # noqa: B905, RUF007
                found[pair] += count
        best = max(found, key=found.__getitem__, default=("", ""))
        if found[best] < min_count:
            break
        pairs.append(best)
        token = "".join(best)
        tokens += [token] * (token not in tokens)
        for word in words:
            at = 0
            while at < len(word) - 1:
                if (word[at], word[at + 1]) == best:
                    word[at : at + 2] = [token]
                at += 1
    return Merges(tokens, list(dict.fromkeys(reversed(pairs)))[::-1])


def test_worked_example() -> None:
    found = learned(
        COUNTS, vocab_size=38, alphabet=LETTERS, special_tokens=["[UNK]"], ties="first_met"
    )
    merged = ["ta", "tal", "tall", "fa", "fas", "fast", "er", "er_", "tall_", "fast_"]
    assert ["".join(pair) for pair in found.pairs] == merged
    assert found.tokens == ["[UNK]", *sorted(LETTERS), *merged]


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("fast", ["fast"]),
        ("faster", ["fast", "##er"]),
        ("taller", ["tall", "##er"]),
        ("tallest", ["tall", "##e", "##s", "##t"]),
        ("fatter", ["fa", "##t", "##t", "##er"]),
        ("faxter", ["[UNK]"]),  # one unknown letter, and the word is unknown, as in BERT
    ],
)
def test_words_are_cut_by_the_longest_piece(word: str, pieces: list[str], tmp_path: Path) -> None:
    """After seven merges: ta, tal, tall, fa, fas, fast and ##er."""
    text = tmp_path / "words.txt"
    text.write_text("".join(f"{each[:-1]}\n" * count for each, count in COUNTS.items()))
    settings = {"vocab_size": 21, "special_tokens": ["[UNK]"], "ties": "first_met"}
    tokenizer = learn_subwords("wordpiece", settings, Corpus(text))
    merged = ["ta", "tal", "tall", "fa", "fas", "fast", "##er"]
    assert tokenizer.tokens[-7:] == merged
    assert [tokenizer.tokens[token] for token in tokenizer.encode(word)] == pieces
    assert [tokenizer.tokens[token] for token in tokenizer.encode_block(f"{word}\n").ids] == pieces


def test_ties_by_smallest_ids() -> None:
    found = learned({"zy": 1, "ab": 1}, vocab_size=5)
    assert found.pairs == [("a", "b")]
    found = learned({"zy": 1, "ab": 1}, vocab_size=5, ties="first_met")
    assert found.pairs == [("z", "y")]


WORD_COUNTS = st.one_of(
    *(
        st.dictionaries(
            st.text(alphabet, min_size=1, max_size=14),
            st.integers(1, 5),
            min_size=1,
            max_size=12,
        )
        for alphabet in ("ab", "abc", "abcdeé漢😀")
    )
)


@given(WORD_COUNTS, st.integers(10, 50), st.integers(1, 3), st.sampled_from([None, 2, 3, 5]))
def test_the_merges_are_those_of_the_library(
    counts: dict[str, int], vocab_size: int, min_count: int, longest: int | None
) -> None:
    rules = {"vocab_size": vocab_size, "min_count": min_count, "special_tokens": ["[UNK]"]}
    rules |= {} if longest is None else {"max_token_length": longest}
    assert learned(counts, **rules) == by_library(counts, **rules)


@given(
    st.dictionaries(
        st.text("ab#</w>", min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=12
    ),
    st.sampled_from([("##", ""), ("", "</w>"), ("##", "</w>")]),
    st.integers(1, 30),
)
def test_marked_symbols_merge_as_in_the_library(
    counts: dict[str, int], marks: tuple[str, str], num_more: int
) -> None:
    prefix, suffix = marks
    # the library numbers marked symbols in the order of a hash table: special tokens come first
    names = sorted({a + c + b for a in ("", prefix) for c in "ab#</w>" for b in ("", suffix)})
    rules: dict[str, object] = {"vocab_size": len(names) + num_more, "special_tokens": names}
    rules |= {"prefix": prefix} if prefix else {}
    rules |= {"suffix": suffix} if suffix else {}
    assert learned(counts, **rules) == by_library(counts, **rules)


@given(WORD_COUNTS, st.integers(10, 50), st.integers(1, 3))
def test_first_met_is_the_textbook(counts: dict[str, int], vocab_size: int, min_count: int) -> None:
    found = learned(counts, vocab_size=vocab_size, min_count=min_count, ties="first_met")
    assert found == twin(counts, vocab_size, min_count)


@pytest.mark.slow
@given(st.permutations(["abab", "ba", "bab", "cab", "abcab"]))
def test_the_order_of_words_is_of_no_importance(words: list[str]) -> None:
    counts = {word: len(word) for word in words}
    same = {word: counts[word] for word in sorted(counts)}
    assert learned(counts, vocab_size=12) == learned(same, vocab_size=12)


def test_counts_have_64_bits() -> None:
    found = learned({"ab": 1 << 40, "bc": (1 << 40) + 1}, vocab_size=4)
    assert found.pairs == [("b", "c")]


def test_many_words_make_the_tables_grow() -> None:
    generator = np.random.default_rng(0)
    words = {"".join(word) for word in generator.choice([*"abcdefgh"], (5_000, 12))}
    counts = {word: 1 + len(word) % 3 for word in sorted(words)}
    rules = {"vocab_size": 3_000}
    assert learned(counts, **rules) == by_library(counts, **rules)


def test_a_large_vocabulary_takes_wide_symbols() -> None:
    wide, narrow = (learned(COUNTS, vocab_size=size) for size in (100_000, 1_000))
    assert wide == narrow


def test_rare_characters_are_passed_by() -> None:
    counts = {"aab": 5, "axb": 3, "x": 1, "bz": 4}
    rules = {"vocab_size": 10, "limit_alphabet": 2}
    found = learned(counts, **rules)
    assert found == by_library(counts, **rules)
    assert found.tokens[:2] == ["a", "b"]


def test_the_alphabet_grows_with_the_script() -> None:
    """A thousand characters, or those that cover 99.95 % of the text, within the vocabulary."""
    frequent = {chr(0x4E00 + index): 9_000 for index in range(3_000)}
    rare = {chr(0x4E00 + index): 1 for index in range(3_000, 5_000)}
    many = learned(frequent | rare, vocab_size=8_000, limit_alphabet="auto").tokens
    assert 2_900 < len(many) <= 3_000
    assert len(learned(frequent | rare, vocab_size=2_000, limit_alphabet="auto").tokens) == 1_500
    few = dict(list(frequent.items())[:20]) | {"x": 1}
    assert len(learned(few, vocab_size=30, limit_alphabet="auto").tokens) == 21


def test_words_of_unknown_characters_alone() -> None:
    assert learned({"漢": 1, "aa": 2}, vocab_size=5, limit_alphabet=1).tokens == ["a", "aa"]


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            {"vocab_size": 4, "special_tokens": ["[UNK]"]},
            "vocab_size = 4 has no room for the special tokens (1) and the alphabet (8 symbols); "
            "set it to more than 9, or lower limit_alphabet.",
        ),
        (
            {"vocab_size": 10, "alphabet": LETTERS},
            "vocab_size = 10 has no room for the special tokens (0) and the alphabet (27 symbols); "
            "set it to more than 27.",
        ),
        (
            {"vocab_size": 8, "suffix": "</w>"},
            "vocab_size = 8 has no room for the special tokens (0) and the alphabet (9 symbols); "
            "set it to more than 9, or lower limit_alphabet.",
        ),
    ],
)
def test_no_room_for_the_alphabet(rules: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        learned(COUNTS, **rules)
    assert str(error.value) == sentence


@pytest.mark.quick_cases(1)
@pytest.mark.shared_data
@pytest.mark.parametrize("splitter", [BytePieces(), LibraryWords(None, BERT_WORDS)])
def test_32000_merges_of_real_text_are_those_of_the_library(
    shared_data: Path, splitter: Splitter
) -> None:
    found = count_words(Corpus(shared_data / "wikitext-2" / "train.txt.xz"), splitter)
    counts = dict(zip(found.words, found.counts.tolist(), strict=True))
    rules = {"vocab_size": 32_300, "min_count": 2}
    ours = learned(counts, **rules)
    assert ours == by_library(counts, **rules)
    assert len(ours.pairs) >= 31_000
