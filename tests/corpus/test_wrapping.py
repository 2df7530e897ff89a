from __future__ import annotations

import lzma
import textwrap
from pathlib import Path

import pytest

from foretext.corpus.layout import is_cut, line_ends
from tests.corpus.wrapped_texts import CODE, SUBTITLES, VERSE, book, paragraphs, wrapped

INDENTED = "".join(wrapped(text, 70, "    ") for text in paragraphs(40))
QUOTED = "".join(f"{index}. {text[:90]}\n" for index, text in enumerate(paragraphs(60)))
CHINESE = (
    "老房子在河边空了很多年后来一位年轻的老师从城里来买下了它并在两个邻居的帮助下开始修理它的塔楼"
    * 20
)
NOT_WRAPPED = {
    "paragraphs": "".join(f"{text}\n" for text in paragraphs(60)),
    "sentences in lower case": "".join(
        f"{sentence.lower()}\n" for text in paragraphs(60) for sentence in text.split(". ")
    ),
    "verse": f"{VERSE}\n" * 6,
    "verse in lower case": f"{VERSE.lower()}\n" * 6,
    "code": CODE * 30,
    "subtitles": SUBTITLES * 30,
    "list of words": "\n".join(" ".join(paragraphs(60)).lower().split()),
    "numbered list": QUOTED,
    "truncated texts": "".join(f"{text[:140].lower()}\n" for text in paragraphs(60)),
    "genes": "acgtaccgatagcatgacgatacgatacgacgacgatagacgatagcagatacga\n" * 60,
    "table": "apple   red       12   from the river and from the hill beyond\n" * 60,
    "a short text": book(1)[:300],
}


@pytest.mark.parametrize("width", [55, 72, 100])
def test_a_book_is_wrapped_at_its_width(width: int) -> None:
    ends = line_ends(book(width=width))
    assert ends.is_wrapped
    assert width - 2 <= ends.width <= width


def test_indented_paragraphs_need_no_empty_lines() -> None:
    assert line_ends(INDENTED).is_wrapped


def test_chinese_lines_are_measured_in_columns() -> None:
    lines = "\n".join(textwrap.wrap(CHINESE, 36)) + "\n"
    assert line_ends(lines * 2).width == 72
    assert line_ends(lines * 2).is_wrapped


@pytest.mark.parametrize("kind", NOT_WRAPPED)
def test_other_text_is_not_wrapped(kind: str) -> None:
    assert not line_ends(NOT_WRAPPED[kind]).may_be_wrapped


def test_a_line_end_is_a_cut_if_the_next_word_would_not_have_fit() -> None:
    before = "one two three four"
    assert is_cut(before, "five six", 22)
    assert not is_cut(before, "five six", 23)
    assert not is_cut(before, "  five six", 22)  # a paragraph begins
    assert not is_cut(before, "- five", 20)  # an item of a list
    assert not is_cut(f"{before} and far beyond", "five six", 22)  # it was never cut
    assert is_cut(f"{before} M.", "A. Five", 22)


@pytest.mark.shared_data
def test_real_text_in_whole_lines_is_not_wrapped(shared_data: Path) -> None:
    for name in ("enwiki/enwiki", "zhwiki/zhwiki", "wikitext-2/train", "ptb/ptb.train"):
        with lzma.open(shared_data / f"{name}.txt.xz", "rt", encoding="utf-8") as file:
            assert not line_ends(file.read(1 << 18)).may_be_wrapped, name
