"""Files of words with scores, in the forms in which they are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import EvaluationError
from foretext.vectors.pair_file import ScoredPair, read_pair_file

PAIRS = [ScoredPair("cat", "dog", 7.5), ScoredPair("sun", "moon", 3.0)]


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
