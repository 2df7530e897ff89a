from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.comparison.leaks import Leak, corpus_leak, find_leaks
from foretext.corpus import Corpus
from foretext.data.rows import LabelledPair, LabelledText, Question

WORDS = [f"{first}{second}o" for first in "bdfglmnprst" for second in "aeiou"]


def rows(part: str, *texts: str) -> list[LabelledText]:
    return [LabelledText(text, (), f"{part}.csv:{n}") for n, text in enumerate(texts, 2)]


def leaks(
    train: tuple[str, ...], valid: tuple[str, ...] = (), test: tuple[str, ...] = ()
) -> list[Leak]:
    parts = {"train": train, "valid": valid, "test": test}
    return find_leaks({part: rows(part, *texts) for part, texts in parts.items()})


def test_rows_that_are_in_both_parts_are_counted_and_shown() -> None:
    (leak,) = leaks(("x", "y"), test=("new", "X ", "z", "v", "y"))
    assert (leak.part, leak.inside, leak.rows, leak.total) == ("test", "train", 2, 5)
    assert leak.places == ("test.csv:3", "test.csv:6")
    assert leak.is_grave
    assert str(leak) == (
        "2 of 5 test rows (40.0%) are among the rows to learn from too, such as test.csv:3; scores "
        "on them say how well they are remembered, so remove them from one of the two."
    )


def test_held_out_rows_must_be_new_and_no_test_rows() -> None:
    found = leaks(("a", "b"), ("a", "c", "d"), ("c", "e", "f"))
    assert [(leak.part, leak.inside) for leak in found] == [("test", "valid"), ("valid", "train")]
    assert str(found[1]).startswith("1 of 3 held-out rows (33.3%) are among the rows to learn")


def test_few_common_rows_are_a_note() -> None:
    (leak,) = leaks(("x",), test=("x", *map(str, range(200))))
    assert not leak.is_grave


def test_parts_without_common_rows_have_no_leak() -> None:
    assert leaks(("x",), ("y",), ("z",)) == []


def test_rows_without_text_are_no_leak() -> None:
    assert leaks(("", "x"), test=(" ", "")) == []


def test_a_test_that_is_mostly_the_training_file_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"--test: 1 of 2 rows \(50.0%\) .* test.csv:2; .*leave"):
        leaks(("x", "y"), test=("x", "z"))


def sentences(seed: int, number: int) -> list[str]:
    """Sentences of a dozen words, which two seeds do not share."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, 12)).capitalize() + "." for _ in range(number)]


def labelled(texts: list[str]) -> list[LabelledText]:
    return [LabelledText(text, (), f"test.csv:{n}") for n, text in enumerate(texts, 1)]


def written(folder: Path, text: str) -> Corpus:
    path = folder / "corpus.txt"
    path.write_text(text, encoding="utf-8")
    return Corpus(path)


def test_a_corpus_of_other_texts_has_no_leak(tmp_path: Path) -> None:
    corpus = written(tmp_path, "\n".join(sentences(0, 2000)))
    assert corpus_leak(labelled(sentences(1, 500)), corpus) is None


def test_texts_are_found_however_the_corpus_is_divided(tmp_path: Path) -> None:
    texts = sentences(1, 40)
    inside = " ".join(texts[::2]).replace("bao", "BAO,").replace(" ", "\n", 100)
    around = sentences(0, 200)
    corpus = written(tmp_path, "\n".join([*around, inside, *around]))
    leak = corpus_leak(labelled(texts), corpus)
    assert leak is not None
    assert (leak.part, leak.inside, leak.rows, leak.total) == ("test", "corpus", 20, 40)
    assert leak.places[:2] == ("test.csv:1", "test.csv:3")
    assert leak.is_grave
    assert str(leak).startswith(
        "20 of 40 test rows (50.0%) have a text that stands in the corpus, such as test.csv:1; "
    )


def test_texts_are_found_across_blocks(tmp_path: Path) -> None:
    texts = sentences(2, 12_000)  # some blocks of the pass
    leak = corpus_leak(labelled(texts[::1000]), written(tmp_path, "\n".join(texts)))
    assert leak is not None
    assert leak.rows == 12


def test_a_part_of_a_text_is_not_the_text(tmp_path: Path) -> None:
    long = " ".join(sentences(3, 20))
    corpus = written(tmp_path, long[: len(long) // 2])
    assert corpus_leak(labelled([long]), corpus) is None
    assert corpus_leak(labelled([long[: len(long) // 3]]), corpus) is not None


def test_short_texts_say_nothing(tmp_path: Path) -> None:
    rows = labelled(["not bad", "very good", ""])
    assert corpus_leak(rows, written(tmp_path, "it is not bad and very good\n")) is None
    assert corpus_leak([], written(tmp_path, "text\n")) is None


def test_texts_of_short_lines_are_found(tmp_path: Path) -> None:
    text = sentences(8, 1)[0].replace(" ", "\n")
    corpus = written(tmp_path, text.replace("\n", " "))
    assert corpus_leak(labelled([text]), corpus) is not None


def test_chinese_texts_are_found(tmp_path: Path) -> None:
    text = "今天上午，轮船在大雾中缓慢地驶进了港口。"
    corpus = written(tmp_path, f"昨天没有船。{text}明天也没有。\n")
    assert corpus_leak(labelled([text, "明天上午的会议将在市政厅的大会议室里举行"]), corpus)
    assert corpus_leak(labelled([text.replace("轮船", "汽车")]), corpus) is None


def test_both_texts_of_a_pair_and_passages_are_looked_for(tmp_path: Path) -> None:
    a, b = sentences(4, 2)
    corpus = written(tmp_path, f"{b}\n{a}\n")
    pairs = [LabelledPair(a, b, "1", None, "p:1"), LabelledPair(a, "short", "1", None, "p:2")]
    leak = corpus_leak(pairs, corpus)
    assert leak is not None
    assert leak.rows == 2
    asked = [Question("1", "Who?", a, (), "", "q:1")]
    assert corpus_leak(asked, corpus) is not None


def test_the_pass_ends_when_its_time_is_over(tmp_path: Path) -> None:
    texts = sentences(5, 20_000)
    blocks = count()
    leak = corpus_leak(
        labelled([texts[0], texts[-1]]),
        written(tmp_path, "\n".join(texts)),
        is_over=lambda: next(blocks) >= 1,
    )
    assert leak is not None
    assert leak.rows == 1
    assert 0 < leak.searched < 1
    assert f"of which {leak.searched:.0%} were searched" in str(leak)


@pytest.mark.parametrize("number", [50, 300])
def test_each_window_counts_only_once_found(tmp_path: Path, number: int) -> None:
    common = sentences(6, 1)[0]  # a phrase that all texts begin with
    texts = [f"{common} {text}" for text in sentences(7, number)]
    corpus = written(tmp_path, f"{common}\n" * 100)
    assert corpus_leak(labelled(texts), corpus) is None
