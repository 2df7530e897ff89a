from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from foretext.corpus.documents import by_blank_line, by_blank_lines, by_file, by_line, join_rows

LINES = st.lists(st.sampled_from(["a", "bc", "d e", "", " ", "\u3000", " f"]), max_size=20)


def pieces(lines: list[str], size: int) -> list[str]:
    return [
        "".join(line + "\n" for line in lines[start : start + size])
        for start in range(0, len(lines), size)
    ]


@given(lines=LINES, size=st.integers(1, 20))
def test_by_line_every_line_with_text_is_a_document(lines: list[str], size: int) -> None:
    expected = "".join(line + "\n\n" for line in lines if line.strip())
    assert "".join(by_line(pieces(lines, size))) == expected


@given(lines=LINES, size=st.integers(1, 20))
@example(lines=["", " ", "a", " ", "", "bc", "\u3000"], size=1)
def test_by_blank_line_groups_of_lines_are_documents(lines: list[str], size: int) -> None:
    groups: list[list[str]] = [[]]
    for line in lines:
        groups.append([]) if not line.strip() else groups[-1].append(line)
    expected = "".join("\n".join(group) + "\n\n" for group in groups if group)
    assert "".join(by_blank_line(pieces(lines, size))) == expected


@given(lines=LINES, size=st.integers(1, 20))
@example(lines=["", "", "a", "", "bc", "", " ", "", "a"], size=1)
@example(lines=["a", "", "", " f"], size=2)
def test_by_blank_lines_two_empty_lines_end_a_document(lines: list[str], size: int) -> None:
    text = "".join(f"{line}\n" if line.strip() else "\n" for line in lines).strip("\n")
    documents = [part for part in re.split(r"\n{3,}", text) if part]
    expected = "".join(re.sub("\n+", "\n", document) + "\n\n" for document in documents)
    assert "".join(by_blank_lines(pieces(lines, size))) == expected


@given(lines=LINES, size=st.integers(1, 20))
def test_by_file_all_lines_are_one_document(lines: list[str], size: int) -> None:
    text = "".join(line + "\n" for line in lines if line.strip())
    assert "".join(by_file(pieces(lines, size))) == (text + "\n" if text else "")


@given(lines=LINES, size=st.integers(1, 20), longest=st.integers(3, 10))
def test_long_documents_are_cut_at_line_ends_alike(
    lines: list[str], size: int, longest: int
) -> None:
    cut = "".join(by_blank_line(pieces(lines, size), longest))
    assert cut == "".join(by_blank_line(pieces(lines, 20), longest))
    assert all(len(document) <= longest for document in cut.split("\n\n"))
    assert re.sub("\n+", "\n", cut) == "".join(line + "\n" for line in lines if line.strip())


def test_a_line_longer_than_a_document_may_be_stays_whole() -> None:
    text = "".join(by_blank_line(["abcdef\nab\ncd\n"], 3))
    assert text == "abcdef\n\nab\n\ncd\n\n"


def test_rows_keep_their_lines_and_lose_their_empty_ones() -> None:
    rows = ["a\n\nb", "", "  ", "\n c\n"]
    texts = by_blank_line(join_rows(rows, 3))
    assert "".join(texts) == "a\nb\n\n c\n\n"
