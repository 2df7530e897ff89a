from __future__ import annotations

from pathlib import Path

import pytest

from foretext.data.rows import (
    LabelledText,
    RowsConfig,
    TaggedSentence,
    find_row_problems,
    find_tag_problems,
    read_texts,
)


def rows(*pairs: tuple[str, str]) -> list[LabelledText]:
    return [
        LabelledText(text, tuple(labels.split()), f"a.csv:{line}")
        for line, (text, labels) in enumerate(pairs, start=2)
    ]


def sentence(tags: str, tokens: str = "") -> TaggedSentence:
    words = tuple(tokens.split() or [f"w{i}" for i in range(len(tags.split()))])
    return TaggedSentence(words, tuple(tags.split()), "a.conll", tuple(range(3, 3 + len(words))))


GOOD = rows(*[(f"text {i}", "xy"[i % 2]) for i in range(20)])


def test_good_rows_have_no_problems() -> None:
    assert find_row_problems(GOOD, rows(("other", "x"))) == []


def test_one_label_only() -> None:
    (found,) = find_row_problems(rows(("a", "x"), ("b", "x")))
    assert found.severity == "error"
    assert found.sentence.startswith("All 2 rows have the label 'x', so that there is nothing to")


def test_imbalance_and_rare_labels() -> None:
    pairs = [(f"text {i}", "x") for i in range(19)]
    first, second = find_row_problems(rows(*pairs, ("other", "y")))
    assert first.severity == "warning"
    assert first.sentence.startswith("95% of the rows have the label 'x', and always answering")
    assert second.severity == "note"
    assert second.sentence.startswith("1 label has fewer than 5 rows (such as 'y', with 1)")


def test_rows_without_text() -> None:
    (found,) = find_row_problems([*GOOD, *rows((" \n", "x"))])
    assert found.sentence == "1 row has no text; fill in or remove what is empty."
    assert str(found.place) == "a.csv, line 2"


def test_repeated_rows() -> None:
    repeated = rows(("text  0", "x"), ("text 1", "x"))
    (found,) = find_row_problems([*GOOD, *repeated])
    assert found.severity == "warning"
    assert found.sentence.startswith("2 of 22 rows (9.1%) repeat an earlier one, 1 of them with ot")
    assert str(found.place) == "a.csv, line 3"


def test_labels_that_only_the_test_has() -> None:
    (found,) = find_row_problems(GOOD, rows(("other", "x"), ("more", "x z")))
    assert found.sentence.startswith(
        "1 test row has labels that training never shows (such as 'z')"
    )
    assert str(found.place) == "a.csv, line 3"


def test_test_rows_that_were_learned_from() -> None:
    (found,) = find_row_problems(GOOD, rows(("text 0", "x"), ("text 1", "x"), ("new", "x")))
    assert found.sentence == (
        "2 of 3 test rows (66.7%) occur in training too, 1 with the same labels; score with and "
        "without them."
    )


def test_tags_that_do_not_follow_their_scheme() -> None:
    good, bad = sentence("B-X I-X O"), sentence("O I-Y O", "a b c")
    (found,) = find_tag_problems([good, bad])
    assert found.sentence.startswith("1 tag does not follow IOB2, the scheme of the others (such a")
    assert "'I-Y'" in found.sentence
    assert str(found.place) == "a.conll, line 4"


def test_tags_of_parts_of_speech_follow_no_scheme() -> None:
    assert find_tag_problems([sentence("DT NN VB")]) == []


def test_sentences_are_compared_as_texts_are() -> None:
    found = find_tag_problems([sentence("O O")], [sentence("O O"), sentence("O NN", "x y")])
    assert ["occur in training too" in each.sentence for each in found] == [False, True]
    assert "'NN'" in found[0].sentence


@pytest.mark.slow
@pytest.mark.shared_data
def test_tnews_repeats_itself(shared_data: Path) -> None:
    config = RowsConfig(text="sentence", label="label_desc", normalization="none")
    train, test = (
        read_texts(shared_data / "tnews" / f"{part}.json.xz", config) for part in ("train", "test")
    )
    sentences = [problem.sentence for problem in find_row_problems(train, test)]
    assert any("1,099 of 10,000 test rows" in each and "938 with" in each for each in sentences)


def test_a_header_that_was_read_as_a_row_is_named() -> None:
    rows = [LabelledText(f"text {n}", ("ab"[n % 2],), f"rows.tsv:{n + 2}") for n in range(12)]
    header = LabelledText("sentence", ("label",), "rows.tsv:1")
    (found,) = [each for each in find_row_problems([header, *rows]) if "header" in each.sentence]
    assert found.severity == "warning"
    assert "'label', which no other row has" in found.sentence
    other = header._replace(labels=("a",))
    assert not [each for each in find_row_problems([other, *rows]) if "header" in each.sentence]
    assert not [each for each in find_row_problems(rows) if "header" in each.sentence]
