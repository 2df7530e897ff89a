from __future__ import annotations

import pytest

from foretext.data.rows.guessed_columns import (
    AmbiguousColumnsError,
    PairColumns,
    find_pair_columns,
)


def rows(*lines: str) -> list[list[str]]:
    return [line.split(",") for line in lines]


WORDS = ("cat,dog,7.5", "sun,moon,3", "tea,cup,5.25")


@pytest.mark.parametrize(
    ("header", "lines", "found"),
    [
        (None, WORDS, (0, 1, 2)),
        ("word1,word2,score", WORDS, (0, 1, 2)),
        (",word1,word2,score", [f"{at},{line}" for at, line in enumerate(WORDS)], (1, 2, 3)),
        (None, [f"{at + 1},{line}" for at, line in enumerate(WORDS)], (1, 2, 3)),
        ("score,a,b", [",".join(line.split(",")[::-1]) for line in WORDS], (1, 2, 0)),
        # SimLex-999, with a part of speech and other numbers
        (
            "word1,word2,POS,SimLex999,conc(w1),SD(SimLex)",
            ["old,new,A,1.58,2.72,0.41", "smart,bright,A,9.2,1.75,0.67"],
            (0, 1, 3),
        ),
        (None, ["old,new,A,1.58,2.72", "smart,bright,A,9.2,1.75"], (0, 1, 3)),
        # rare words: the mean, then each person's
        (None, ["squish,squirt,5.88,7,7", "undated,undatable,5.83,10,9"], (0, 1, 2)),
        ("Word 1,Word 2,Human (mean)", WORDS, (0, 1, 2)),
        # STS-B, as GLUE has it, and as the library `datasets` has it
        (
            "index,genre,year,sentence1,sentence2,score",
            ["0,news,2012,a cat,a dog,5.0", "1,news,2013,a sun,a moon,1.5"],
            (3, 4, 5),
        ),
        ("sentence1,sentence2,label,idx", ["a,b,1.5,0", "c,d,5.0,1", "e,f,3.0,2"], (0, 1, 2)),
    ],
)  # fmt: skip
def test_columns_are_found(
    header: str | None, lines: list[str], found: tuple[int, int, int]
) -> None:
    names = None if header is None else header.split(",")
    assert find_pair_columns(names, rows(*lines)) == PairColumns(*found)


def test_labels_are_no_scores() -> None:
    named = ["text_a", "text_b", "label"]
    assert find_pair_columns(named, rows("a,b,yes", "c,d,no")) == PairColumns(0, 1, None, 2)
    assert find_pair_columns(named, rows("a,b,0", "c,d,1", "e,f,1")) == PairColumns(0, 1, None, 2)


@pytest.mark.parametrize(
    ("header", "lines", "sentence"),
    [
        ("first,second,rater 1,rater 2", ["a,b,1,5", "c,d,3,2"], "2 columns of numbers may be the"),
        ("score,text,rating,other", ["1,a,5,b", "4,c,2,d"], "2 columns have names of scores"),
        ("id,a,b,c,score", ["4,a,b,c,1", "5,d,e,f,2"], "3 columns of text may be the two that"),
        ("text,score", ["a,1", "b,3"], "there are no two columns of text"),
        ("id,a,b", ["0,a,b", "1,c,d"], "there is no column of scores or labels"),
    ],
)
def test_what_is_ambiguous_is_refused(header: str, lines: list[str], sentence: str) -> None:
    with pytest.raises(AmbiguousColumnsError, match=sentence):
        find_pair_columns(header.split(","), rows(*lines))
