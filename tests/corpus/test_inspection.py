from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus, CorpusConfig, CorpusReport, inspect_corpus
from foretext.corpus.findings import WordSettings
from tests.corpus.wrapped_texts import book, paragraphs

WORDS = [f"word{'abcdefghij'[number % 10]}{number}" for number in range(300)]


def sentences(number: int, seed: int = 0, length: int = 20) -> list[str]:
    generator = random.Random(seed)
    return [" ".join(generator.choices(WORDS, k=length)).capitalize() + "." for _ in range(number)]


def inspected(folder: Path, text: str | bytes, name: str = "a.txt", **config: Any) -> CorpusReport:
    data = text.encode() if isinstance(text, str) else text
    (folder / name).write_bytes(data)
    return inspect_corpus(Corpus(folder / name, CorpusConfig(**config)))


def problem(report: CorpusReport, part: str) -> str:
    found = [str(each) for each in report.problems if part in each.sentence]
    assert len(found) == 1, [str(each) for each in report.problems]
    return found[0]


def test_counts(tmp_path: Path) -> None:
    text = "\ufeffThe cat, the dog.\nIt sat!\n\n \nA cat\n" + "\n"
    report = inspected(tmp_path, gzip.compress(text.encode()), "a.txt.gz")
    assert (report.documents, report.sentences, report.tokens) == (2, 3, 8)
    assert report.distinct_words == 6
    assert report.distinct_words_exact
    assert (report.lines, report.empty_lines, report.long_lines) == (6, 3, 0)
    assert report.documents_end == "blank_line"
    assert report.formats == {"txt": 1}
    assert report.compressions == {"gzip": 1}
    assert report.bytes == (tmp_path / "a.txt.gz").stat().st_size
    assert report.document_lengths.most == 6
    assert report.sentence_lengths.median == 2
    assert report.frequent_words[0].word == "cat"
    assert report.scripts == {"Latin": 1.0}
    assert report.files[0].documents == 2


def test_the_report_is_json(tmp_path: Path) -> None:
    report = inspected(tmp_path, "\n".join(sentences(50)))
    assert CorpusReport.model_validate_json(json.dumps(report.as_dict())) == report


def test_it_says_the_same_every_time(tmp_path: Path) -> None:
    text = "\n".join(sentences(300) + sentences(20))
    assert inspected(tmp_path, text) == inspected(tmp_path, text)


def test_duplicates_are_named_by_line(tmp_path: Path) -> None:
    lines = sentences(100)
    text = "\n".join([*lines, "", lines[3], lines[3][:-5] + "else."])
    report = inspected(tmp_path, text, documents="line")
    assert f"1 of 102 documents (1.0%) repeat an earlier one (such as '{lines[3][:40]}" in problem(
        report, "repeat an earlier one"
    )
    assert problem(report, "repeat an earlier one").endswith("a.txt, line 102)")
    assert problem(report, "nearly repeat another").endswith("a.txt, line 103)")


def test_rows_are_named_by_number(tmp_path: Path) -> None:
    rows = [json.dumps({"text": text}) for text in ("one two", "three four", "one two")]
    report = inspected(tmp_path, "\n".join(rows), "a.jsonl")
    assert report.documents_end == "row"
    assert problem(report, "repeat an earlier one").endswith("a.jsonl, row 3)")


def test_damage_is_named_by_line(tmp_path: Path) -> None:
    lines = [*sentences(50), "A cafÃ© there.", "A bad \ufffd one.", "A <br> tag."]
    report = inspected(tmp_path, "\n".join(lines))
    assert problem(report, "read as another encoding").endswith("a.txt, line 51)")
    assert problem(report, "U+FFFD").endswith("a.txt, line 52)")
    assert problem(report, "HTML").endswith("a.txt, line 53)")


def test_little_text(tmp_path: Path) -> None:
    report = inspected(tmp_path, "one two three\nfour five\n")
    assert report.problems[0].severity == "error"
    assert problem(report, "No word occurs 5 times").startswith(
        "No word occurs 5 times (the most frequent, 'five', 1 times): add text, or set tokenizer"
    )
    assert "There are only 5 tokens" in problem(report, "too few for any objective")
    assert problem(report, "masked or causal")


def test_one_document_and_an_uneven_corpus(tmp_path: Path) -> None:
    assert problem(inspected(tmp_path, "one document"), "single document")
    lines = sentences(40)
    text = "\n".join(lines[:30]) + "\n\n" + "\n\n".join(f"{one}\n{one}" for one in lines[30:35])
    report = inspected(tmp_path, text)
    assert problem(report, "One document has 75% of all tokens").endswith("a.txt, line 1)")


def test_documents_of_one_sentence(tmp_path: Path) -> None:
    report = inspected(tmp_path, "\n".join(sentences(50)))
    assert "Only 0 of 50 documents have two sentences" in problem(report, "next-sentence")


def test_lines_of_several_sentences(tmp_path: Path) -> None:
    lines = sentences(90, length=8)
    text = "\n\n".join(" ".join(lines[start : start + 3]) for start in range(0, 90, 3))
    assert "Lines have about" in problem(inspected(tmp_path, text), "sentences each")
    report = inspected(tmp_path, text, sentences="punctuation")
    assert report.sentences == 90
    assert not any("sentences each" in each.sentence for each in report.problems)


def test_text_that_was_prepared_before(tmp_path: Path) -> None:
    report = inspected(tmp_path, "this is , as you see , prepared <unk> text .\n" * 100)
    said = problem(report, "looks tokenised already")
    assert said.endswith("set tokenizer.pre_tokenizer=whitespace.")
    assert problem(report, "in lower case already")
    assert problem(report, "100 rare words have been replaced by <unk>").endswith("a.txt, line 1)")


@pytest.mark.parametrize(("line", "number"), [("__label__a one\n", 40), ("two __label__b\n", 3)])
def test_labels_of_fasttext_are_named(tmp_path: Path, line: str, number: int) -> None:
    report = inspected(tmp_path, "other words\n" + line * number)
    said = f"{number} labels of fastText are in the text (such as '{line.strip()}')"
    assert problem(report, said).endswith("a.txt, line 2)")


def test_mixed_scripts(tmp_path: Path) -> None:
    report = inspected(tmp_path, "half half это русский язык 我们\n" * 20)
    assert "Scripts are mixed: " in problem(report, "they share one vocabulary")


def test_long_lines(tmp_path: Path) -> None:
    report = inspected(tmp_path, "short\n" + "word " * 300_000 + "\n")
    assert report.long_lines == 1
    assert problem(report, "A line is longer than 1,048,576").endswith("a.txt, line 2)")


def test_bad_files_are_problems_while_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": "fine"}\n{broken\n')
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"text\n" * 1000)[:-20])
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes("caf\xe9\n".encode("latin-1"))
    (tmp_path / "good.txt").write_text("\n".join(sentences(20)))
    report = inspect_corpus(Corpus(tmp_path))
    errors = [each.sentence for each in report.problems if each.severity == "error"]
    assert len(errors) == 3
    assert any("bad.jsonl, line 2: this is not JSON" in sentence for sentence in errors)
    assert any("cut.txt.gz is damaged" in sentence for sentence in errors)
    assert any("latin.txt, line 1: byte 3 (0xe9)" in sentence for sentence in errors)
    assert "empty.txt contains no text." in problem(report, "empty.txt")
    assert report.documents >= 20


def test_nothing_to_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no text in it"):
        inspected(tmp_path, "\n\n")
    with pytest.raises(CorpusError, match=r"a\.txt, line 1: byte 0 \(0xff\) is not utf-8"):
        inspected(tmp_path, b"\xff\n")


def test_progress_is_told_every_byte(tmp_path: Path) -> None:
    class Bar:
        told = 0.0

        def advance(self, amount: float) -> None:
            self.told += amount

        def stage(self, title: str) -> None:
            pass

    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("\n".join(sentences(2000)))
    bar = Bar()
    corpus = Corpus(tmp_path)
    inspect_corpus(corpus, bar)
    assert bar.told == corpus.num_bytes


def test_words_are_those_of_the_pre_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Don't stop, Don't go\n" * 50)
    corpus = Corpus(tmp_path / "a.txt")
    assert inspect_corpus(corpus).tokens == 300  # don t stop don t go
    found = inspect_corpus(corpus, words=WordSettings("whitespace", lowercase=False))
    assert found.tokens == 200
    assert found.frequent_words[0].word == "Don't"


@pytest.mark.slow
def test_chinese_words_are_counted_in_a_part_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jieba")
    line = "我在北京大学学习中文，他们都喜欢这个图书馆。\n"
    (tmp_path / "a.txt").write_text(line * 8000)
    corpus = Corpus(tmp_path / "a.txt")
    all_of_it = inspect_corpus(corpus)
    assert (all_of_it.counted_rate, all_of_it.reading["tokenizer"]["pre_tokenizer"]) == (
        1.0,
        "chinese_words",
    )
    assert "图书馆" in [word.word for word in all_of_it.frequent_words]
    monkeypatch.setattr("foretext.corpus.inspection._SLOW_CHARACTERS", 40_000)
    part = inspect_corpus(corpus)
    assert 0.1 < part.counted_rate < 0.5
    assert part.tokens == pytest.approx(all_of_it.tokens, rel=0.01)
    assert (part.documents, part.characters) == (all_of_it.documents, all_of_it.characters)
    assert "counted in" in problem(part, "jieba")


def test_two_ways_of_writing_chinese_and_two_widths(tmp_path: Path) -> None:
    simplified, traditional = "这个国家的学生会说汉语。\n", "這個國家的學生會說漢語。\n"
    mixed = inspected(tmp_path, (simplified * 3 + traditional) * 40)
    assert "75% of the characters that differ are simplified, 25% trad" in problem(mixed, "OpenCC")
    assert not any("OpenCC" in str(each) for each in inspected(tmp_path, simplified * 90).problems)
    text = "他在１９９８年买了ＡＢＣ，在2004年卖了xyz。\n" * 40
    report = inspected(tmp_path, text)
    assert problem(report, "are full-width").endswith("set corpus.normalization=NFKC.")


TEXTS = {
    "a book": book(),
    "minutes": "".join(f"{text}\n\n" for text in paragraphs(60)),
    "sections": "".join(
        f"{text}\n\n\n\n" if n % 5 == 4 else f"{text}\n\n" for n, text in enumerate(paragraphs(60))
    ),
    "sentences in sections": "One line.\n\nAnother line.\n\n\nA third line.\n\nAnd a fourth.\n\n\n"
    * 20,
    "german": "Der grüne Präsident grüßte schon das schöne Mädchen am Fluss.\n" * 60,
    "tokenised": "This is , as you see , prepared text .\n" * 60,
    "two widths": "他在１９９８年买了ＡＢＣ，在2004年卖了xyz。\n" * 40,
    "one line": paragraphs(1)[0],
    "one group": "\n".join(paragraphs(30)) + "\n",
}
ADVICE = re.compile(r"set (corpus|tokenizer)\.(\w+) ?= ?'?(\w+)'?")


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("documents", ["auto", "line", "file"])
def test_no_advice_is_given_again_once_it_is_followed(
    tmp_path: Path, kind: str, documents: str
) -> None:
    (tmp_path / "a.txt").write_text(TEXTS[kind])
    config: dict[str, Any] = {"documents": documents}
    words = WordSettings()
    followed: set[str] = set()
    for _ in range(8):
        report = inspect_corpus(Corpus(tmp_path / "a.txt", CorpusConfig(**config)), words=words)
        advice = [found for each in report.problems if (found := ADVICE.search(each.sentence))]
        if not advice:
            return
        section, name, value = advice[0].groups()
        assert advice[0][0] not in followed
        followed.add(advice[0][0])
        if section == "corpus":
            config[name] = value
        else:
            words = words._replace(**{name: False if value == "false" else value})
    pytest.fail(f"no end of advice: {followed}")


def test_advice_does_not_contradict_itself(tmp_path: Path) -> None:
    stray = "".join(f"{text}\n\n" for text in paragraphs(600)) + "\n" + paragraphs(1)[0]
    for name, text in {"minutes": "\n\n".join(paragraphs(60)), "stray": stray}.items():
        (tmp_path / name).write_text(text)
        report = inspect_corpus(Corpus(tmp_path / name))
        proposed = report.settings["corpus"]["documents"]
        advised = [each.sentence for each in report.problems if "corpus.documents" in each.sentence]
        assert all(str(proposed) in sentence for sentence in advised)
    (tmp_path / "minutes").write_text("\n\n".join(paragraphs(60)))
    note = problem(inspect_corpus(Corpus(tmp_path / "minutes")), "next-sentence")
    assert "or more, as long as a sentence is a line, so next-sentence" in note


@pytest.mark.parametrize("length", [300, 50_000])
def test_lines_without_blanks(tmp_path: Path, length: int) -> None:
    letters = "".join(random.Random(1).choices("ACGT", k=length * 12))
    lines = [letters[at : at + length] for at in range(0, len(letters), length)]
    (tmp_path / "dna.txt").write_text("\n".join(lines))
    report = inspect_corpus(Corpus(tmp_path / "dna.txt"))
    errors = [each.sentence for each in report.problems if each.severity == "error"]
    assert len(errors) == 1
    assert "hardly any blanks" in errors[0]
    assert "sed 's/.\\{6\\}/& /g'" in errors[0]
    units = [line[at : at + 6] for line in lines for at in range(0, length, 6)]  # as sed has it
    (tmp_path / "units.txt").write_text(" ".join(units))
    after = inspect_corpus(Corpus(tmp_path / "units.txt"))
    assert not any("blanks" in each.sentence for each in after.problems)
