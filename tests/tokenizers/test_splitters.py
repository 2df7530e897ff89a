from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.word_table import WordTable
from foretext.tokenizers.bpe import Splitter
from foretext.tokenizers.byte_pieces import BytePieces
from foretext.tokenizers.word_encoder import LibraryWords
from tokenizers import normalizers, pre_tokenizers

BERT = LibraryWords(normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
CASED = LibraryWords(normalizers.BertNormalizer(lowercase=False), pre_tokenizers.BertPreTokenizer())
LOWER = LibraryWords(normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer())
WHITESPACE = LibraryWords(None, pre_tokenizers.WhitespaceSplit())
SMALL_PIECES = BytePieces(lowercase=True)

TEXT = st.text(
    st.one_of(
        st.sampled_from(
            "aAbBéÉ|\u0301 \t漢字가각힣、。.,!-ßİΣς\u00ad\u200d\u1fc1\u09cb\u212a½\u00a0"
        ),
        st.characters(exclude_categories=["Cs", "Cn", "Co"]),
    ),
    max_size=30,
).map(lambda text: text.replace("\n", " "))


def counted(splitter: Splitter, text: str) -> dict[str, int]:
    table = WordTable()
    data = splitter.utf8(text)
    assert table.count(data, 0, splitter.letters) == data.size
    words = [word.decode() for word in table.words(range(len(table)))]
    return dict(zip(words, table.counts.tolist(), strict=True))


def by_library(splitter: Splitter, text: str) -> dict[str, int]:
    normalizer = splitter.library_normalizer()
    found: Counter[str] = Counter()
    for line in text.split("\n"):
        line = line if normalizer is None else normalizer.normalize_str(line)
        pieces = splitter.library_pre_tokenizer().pre_tokenize_str(line)
        found.update(piece for piece, _ in pieces)
    return dict(found)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("splitter", [BERT, CASED, LOWER, WHITESPACE, SMALL_PIECES])
@given(lines=st.lists(TEXT, max_size=3))
def test_counts_are_those_of_the_library(splitter: Splitter, lines: list[str]) -> None:
    text = "\n".join(lines)
    assert counted(splitter, text) == by_library(splitter, text)


@pytest.mark.parametrize(
    ("splitter", "text", "words"),
    [
        (BERT, "Café, 漢字!", {"cafe": 1, ",": 1, "漢": 1, "字": 1, "!": 1}),
        (CASED, "Café, 漢字!", {"Café": 1, ",": 1, "漢": 1, "字": 1, "!": 1}),
        (LOWER, "ΣΑΣ 漢字。", {"σασ": 1, "漢字": 1, "。": 1}),
        (WHITESPACE, "Don't, a\u3000b", {"Don't,": 1, "a": 1, "b": 1}),
        (BERT, "각", {"\u1100\u1161\u11a8": 1}),
        (BERT, "co\u00adop \ud800", {"coop": 1, "?": 1}),
        (SMALL_PIECES, "A İ", {"a": 1, "Ġi": 1, "Ìĩ": 1}),
    ],
)
def test_words_by_hand(splitter: Splitter, text: str, words: dict[str, int]) -> None:
    assert counted(splitter, text) == words


def test_equal_parts_share_their_tables() -> None:
    again = LibraryWords(normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
    assert again.letters is BERT.letters
    assert CASED.letters is not BERT.letters
    assert WHITESPACE.letters is not LOWER.letters
