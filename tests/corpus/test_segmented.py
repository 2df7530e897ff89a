"""Chinese text is cut once, by one process or several, and read as often as needed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.corpus import Corpus, segmented
from foretext.corpus.chinese_words import separate_words
from foretext.corpus.jieba_processes import JiebaProcesses
from foretext.corpus.segmented import SegmentedCorpus
from foretext.data import write_tokens
from foretext.tokenizers.word_tokenizer import WordTokenizer

pytest.importorskip("jieba")

LINES = [
    "小明毕业于清华大学，现在在北京工作。",
    "我们喜欢学习自然语言处理！",
    "……",
    "今天的天气很好，我们去公园散步。",
]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    path = tmp_path / "chinese.txt"
    documents = ["\n".join(LINES[number % 4 :]) for number in range(3_000)]
    path.write_text("\n\n".join(documents), encoding="utf-8")
    return Corpus(path)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that this process has cut."""
    cut: list[str] = []

    def counted(text: str) -> str:
        cut.append(text)
        return separate_words(text)

    monkeypatch.setattr(segmented, "separate_words", counted)
    return cut


def test_a_second_pass_cuts_nothing(corpus: Corpus, tmp_path: Path, calls: list[str]) -> None:
    words = SegmentedCorpus(corpus, tmp_path / "words")
    first = list(words.blocks())
    assert len(first) > 1
    assert "".join(first) == separate_words("".join(corpus.blocks()))
    num_calls = len(calls)
    assert list(words.blocks()) == first
    assert len(calls) == num_calls
    assert words.bytes_read == corpus.num_bytes


@pytest.mark.slow
def test_a_pass_that_was_left_is_begun_again(corpus: Corpus, tmp_path: Path) -> None:
    words = SegmentedCorpus(corpus, tmp_path / "words")
    beginning = words.blocks()
    next(beginning)
    del beginning
    assert "".join(words.blocks()) == separate_words("".join(corpus.blocks()))
    assert "".join(words.blocks()) == separate_words("".join(corpus.blocks()))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("workers", [1, 2])
def test_ids_are_those_of_two_cuts(
    corpus: Corpus, tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segmented, "FEWEST_BYTES", 0)
    config = WordTokenizer.Config(pre_tokenizer="chinese_words")
    twice = WordTokenizer.learn(config, corpus)
    expected = write_tokens(corpus, twice, tmp_path / "twice").train
    words = SegmentedCorpus(corpus, tmp_path / "words", workers=workers)
    once = WordTokenizer.learn(config, words, workers=workers, segmented=True)
    found = write_tokens(words, once, tmp_path / "once", workers=workers).train
    assert once == twice
    for name in ("ids", "sentence_starts", "document_starts"):
        assert (getattr(found, name) == getattr(expected, name)).all()


@pytest.mark.slow
def test_processes_cut_as_this_one(calls: list[str]) -> None:
    text = "\n".join(LINES * 3) + "\n\ud800\n\n"
    with JiebaProcesses(2) as processes:
        assert processes.cut(text) == separate_words(text)
        assert processes.cut("") == ""
    assert calls == []


def test_a_process_that_was_killed_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen

    def dying(command: list[str], **pipes: int) -> subprocess.Popen[bytes]:
        return real([sys.executable, "-c", "import sys; sys.stdin.buffer.read(1)"], **pipes)

    monkeypatch.setattr(subprocess, "Popen", dying)
    with JiebaProcesses(1) as processes, pytest.raises(CorpusError, match=r"set vectors.workers"):
        processes.cut("北京")


def test_a_file_that_cannot_be_written_is_one_sentence(corpus: Corpus, tmp_path: Path) -> None:
    words = SegmentedCorpus(corpus, tmp_path / "missing" / "words")
    with pytest.raises(OutputError, match="words"):
        next(words.blocks())


IMPORTS = "from foretext.corpus.chinese_words import is_jieba_unchanged, separate_words\n"


@pytest.mark.slow
def test_words_that_are_added_later_are_known_to_this_process_alone() -> None:
    code = """
assert is_jieba_unchanged()
separate_words("北京")
assert is_jieba_unchanged()
import jieba
jieba.add_word("散步公园")
assert not is_jieba_unchanged()
"""
    subprocess.run([sys.executable, "-c", IMPORTS + code], check=True)


def test_words_that_were_added_before_are_known_to_this_process_alone() -> None:
    code = """
import jieba
jieba.add_word("散步公园")
assert not is_jieba_unchanged()
separate_words("北京")
assert not is_jieba_unchanged()
"""
    subprocess.run([sys.executable, "-c", IMPORTS + code], check=True)
