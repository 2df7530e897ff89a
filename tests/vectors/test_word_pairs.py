"""Files of words with scores, in the forms in which they are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import EvaluationError
from foretext.vectors.word_pairs import ScoredPair, read_pair_file
from foretext.vectors.word_vectors import WordVectors
from tests.lazy_import import lazy_import
from tests.vectors.spaces import with_ngrams

gensim_models = lazy_import("gensim.models")

RNG = np.random.default_rng(1)
WORDS = [f"w{number}" for number in range(40)] + ["W3", "Paris"]
MATRIX = RNG.standard_normal((len(WORDS), 6)).astype(np.float32)
OURS = WordVectors(WORDS, MATRIX)

PAIRS = [ScoredPair("cat", "dog", 7.5), ScoredPair("sun", "moon", 3.0)]


@pytest.fixture(scope="module")
def gensim() -> Any:
    vectors = gensim_models.KeyedVectors(6)
    vectors.add_vectors(WORDS, MATRIX)
    return vectors


@pytest.fixture
def pairs(tmp_path):
    lines = ["# made for this test"]
    lines += [f"w{a}\tw{b}\t{a % 5}" for a, b in RNG.integers(0, 50, (60, 2))]
    (tmp_path / "pairs").write_text("\n".join([*lines, "PARIS\tW3\t2.5"]) + "\n")
    return tmp_path / "pairs"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"case_insensitive": False},
        {"dummy4unknown": True},
        {"restrict_vocab": 20},
        {"restrict_vocab": 20, "dummy4unknown": True},
    ],
    ids=str,
)
def test_same_figures_as_gensim(gensim, pairs, settings):
    result = OURS.evaluate_word_pairs(pairs, **settings)
    pearson, spearman, unknown_percent = gensim.evaluate_word_pairs(str(pairs), **settings)
    assert result.pearson == pytest.approx(pearson.statistic, abs=1e-6)
    assert result.spearman == pytest.approx(spearman.statistic, abs=1e-6)
    everything = result.num_pairs + (0 if "dummy4unknown" in settings else result.num_skipped)
    assert everything == 61
    assert 100 * result.num_skipped / 61 == pytest.approx(unknown_percent)


@pytest.mark.shared_data
def test_same_figures_as_gensim_on_wordsim(shared_data, tmp_path):
    path = shared_data / "wordsim" / "EN-WS-353-ALL.txt"
    pairs = read_pair_file(path).pairs
    assert len(pairs) == 353
    words = sorted({word.lower() for pair in pairs for word in pair[:2]})[::2]
    matrix = RNG.standard_normal((len(words), 5)).astype(np.float32)
    theirs = gensim_models.KeyedVectors(5)
    theirs.add_vectors(words, matrix)
    pearson, spearman, _ = theirs.evaluate_word_pairs(str(path))
    result = WordVectors(words, matrix).evaluate_word_pairs(path)
    assert (result.pearson, result.spearman) == pytest.approx((pearson[0], spearman[0]), abs=1e-6)


@pytest.mark.parametrize(
    "line",
    ["cat\tdog\t7.5", "cat dog 7.5", "cat,dog,7.5", "cat;dog;7.5", " cat , dog , 7.5 ",
     "cat\tdog\tN\t7.5\t3", "cat\tdog\t7.5\t1\t2\t3"],
)  # fmt: skip
@pytest.mark.parametrize(
    "head", ["", "Word 1,Word 2,Human (mean)\r\n", "\ufeff# a comment\r\n\r\n"]
)
def test_the_ways_such_files_are_written(tmp_path, head, line):
    (tmp_path / "pairs").write_text(head + line + "\r\n", encoding="utf-8", newline="")
    assert read_pair_file(tmp_path / "pairs").pairs == [ScoredPair("cat", "dog", 7.5)]


def test_words_may_hold_blanks_where_tabs_separate(tmp_path):
    (tmp_path / "pairs").write_text("new york\tbig apple\t9\n")
    assert read_pair_file(tmp_path / "pairs").pairs == [ScoredPair("new york", "big apple", 9)]


def test_unknown_words_are_listed_once(tmp_path):
    (tmp_path / "pairs").write_text("w1 w2 3\nw1 Zoo 2\nZoo ape 1\nw3 w4 2\n")
    result = OURS.evaluate_word_pairs(tmp_path / "pairs")
    assert (result.num_pairs, result.num_skipped) == (2, 2)
    assert result.unknown_words == ("Zoo", "ape")
    assert str(result).endswith("on 2 pairs; 2 with unknown words")


@pytest.fixture
def rare(tmp_path):
    lines = ["cat cart 3", "cat cats 9", "CARTS cart 8", "tart art 5", "u cat 1"]
    (tmp_path / "rare").write_text("\n".join(lines))
    return tmp_path / "rare"


def test_unseen_words_are_composed_of_their_ngrams(rare):
    space = with_ngrams()
    space.split = lambda text: text.lower().split()
    result = space.evaluate_word_pairs(rare)
    assert (result.num_pairs, result.num_composed, result.num_skipped) == (4, 3, 1)
    assert result.composed_words == ("cats", "CARTS", "tart")
    assert result.unknown_words == ("u",)
    pairs = [("cat", "cart"), ("cat", "cats"), ("carts", "cart"), ("tart", "art")]
    cosines = [space.similarity(*pair) for pair in pairs]
    assert result.pearson == pytest.approx(np.corrcoef(cosines, [3, 9, 8, 5])[0, 1])
    assert str(result).endswith("on 4 pairs, 3 with unseen words; 1 with unknown words")


def test_unseen_words_can_be_left_out_as_gensim_does(rare):
    rare.write_text(rare.read_text() + "\ncat rat 6\n")
    result = with_ngrams().evaluate_word_pairs(rare, compose_unseen=False)
    assert (result.num_pairs, result.num_composed, result.num_skipped) == (2, 0, 4)
    assert result.composed_words == ()


def test_a_word_beyond_the_restriction_is_not_composed(rare):
    result = with_ngrams().evaluate_word_pairs(rare, restrict_vocab=2)
    assert "art" in result.unknown_words
    assert "tart" in result.composed_words


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a b 1\na b\n", r"pairs, line 2: two words and a score are expected, not 'a b'"),
        ("a b 1\n\na b nan\n", r"pairs, line 3: two words and a score"),
        ("a\tb\t1\n\tb\t2\n", r"pairs, line 2: two words and a score"),
        ("first second score\n", r"pairs: no line holds two words and a score"),
        ("", r"pairs: no line holds"),
        ("w1 w2 1\nx y 2\n", r"pairs: 1 of its 2 pairs are in the vocabulary, too few"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, content, sentence):
    (tmp_path / "pairs").write_text(content)
    with pytest.raises(EvaluationError, match=sentence):
        OURS.evaluate_word_pairs(tmp_path / "pairs")


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "pairs").write_bytes(b"a b 1\ncaf\xe9 b 1\n")
    with pytest.raises(EvaluationError, match=r"pairs, line 2: not UTF-8"):
        OURS.evaluate_word_pairs(tmp_path / "pairs")
    with pytest.raises(EvaluationError, match=r"nothing is missing; fetch or write it again"):
        OURS.evaluate_word_pairs(tmp_path / "nothing")


def test_line_ends_of_old_macintoshes(pairs):
    expected = OURS.evaluate_word_pairs(pairs)
    pairs.write_bytes(pairs.read_bytes().replace(b"\n", b"\r"))
    assert OURS.evaluate_word_pairs(pairs).spearman == expected.spearman


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (",w1,w2,score\n0,cat,dog,7.5\n1,sun,moon,3\n", ("w1", "w2", "score")),
        ("\tfirst\tsecond\tsim\n0\tcat\tdog\t7.5\n1\tsun\tmoon\t3\n", ("first", "second", "sim")),
        ('"Word 1","Word 2",mean\n"cat","dog",7.5\n"sun","moon",3\n', ("Word 1", "Word 2", "mean")),
        ("cat;dog;7.5\nsun;moon;3\n", ("1", "2", "3")),
        ("cat dog 7.50\nsun moon 3.00\n", ("1", "2", "3")),
        ("w1 w2 POS SimLex999\ncat dog N 7.5\nsun moon N 3\n", ("w1", "w2", "SimLex999")),
    ],
)  # fmt: skip
def test_columns_are_found_and_named(
    tmp_path: Path, content: str, columns: tuple[str, ...]
) -> None:
    (tmp_path / "pairs").write_text(content)
    assert read_pair_file(tmp_path / "pairs") == (PAIRS, columns)


def test_columns_that_are_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,rater 1,rater 2\ncat,dog,4,7.5\nsun,moon,2,3\n")
    with pytest.raises(EvaluationError) as caught:
        read_pair_file(path)
    assert str(caught.value) == (
        f"{path}: 2 columns of numbers may be the score (columns: 'a', 'b', 'rater 1', "
        "'rater 2'); name the columns with --text-a, --text-b and --score, or by their numbers "
        "from 1."
    )
    assert read_pair_file(path, ("a", "b", "rater 2")).pairs == PAIRS
    assert read_pair_file(path, ("1", "2", "4")).pairs == PAIRS
    with pytest.raises(EvaluationError, match=r"there is no column 'c'; there are 'a', 'b'"):
        read_pair_file(path, ("a", "c", "4"))


def test_texts_are_told_from_words(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a cat\ta dog, again\t3\na sun\tthe moon\t2\n")
    assert read_pair_file(path).holds_texts
    path.write_text("new york\tcity\t3\nsun\tmoon\t2\n")
    assert not read_pair_file(path).holds_texts
