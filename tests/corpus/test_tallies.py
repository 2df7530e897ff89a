"""An inspection by shards: the same report, whoever works on it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from foretext.base.errors import OutputError
from foretext.corpus import Corpus, CorpusConfig, CorpusReport, inspect_corpus
from foretext.corpus.findings import WordSettings
from foretext.corpus.read_shards import ReadFiles
from foretext.shards import LocalEngine
from foretext.shards.work import fill_shard
from tests.corpus.test_inspection import sentences

SIZE = 3000  # characters of a shard


@pytest.fixture(autouse=True)
def _small_shards() -> Iterator[None]:
    with patch("foretext.corpus.read_shards.SHARD", SIZE):
        yield


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Several formats; duplicates, damage and long documents in different files."""
    lines = sentences(300)
    random.Random(1).shuffle(lines)
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(6):
        part = lines[50 * number : 50 * number + 50]
        part += [lines[3], lines[number][:-6] + " else.", "A cafÃ© &amp; a <br>.", "?!"]
        (texts / f"{number}.txt").write_text("\n\n".join(part) + "\n")
    rows = [{"text": text} for text in (*lines[:40], "one. Two.\n\nthree")]
    (texts / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (texts / "bad.jsonl").write_text('{"text": "fine"}\n{broken\n')
    (texts / "z.txt").write_text("我在北京大学学习中文。\n" * 30 + "word " * 2000)
    return Corpus(texts, CorpusConfig(documents="blank_line"))


def report_of(corpus: Corpus, workers: int | None = None, **options: object) -> CorpusReport:
    engine = None if workers is None else LocalEngine(workers)
    return inspect_corpus(corpus, engine=engine, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_report_is_the_same_for_all_numbers_of_workers(corpus: Corpus) -> None:
    expected = report_of(corpus)
    assert expected.exact_duplicates.duplicates > 40
    assert expected.near_duplicates.duplicates > 2
    assert len(list(ReadFiles(corpus).shards())) > 5
    for workers in (1, 2, 8):
        assert report_of(corpus, workers).model_dump_json() == expected.model_dump_json()


@pytest.mark.parametrize("kind", ["whitespace", "basic_english", "chinese_characters"])
def test_the_same_for_all_kinds_of_words(corpus: Corpus, kind: str) -> None:
    words = WordSettings(kind, lowercase=False, min_count=1)  # type: ignore[arg-type]
    assert report_of(corpus, 1, words=words) == report_of(corpus, words=words)


def test_the_same_where_words_are_slow(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jieba")
    monkeypatch.setattr("foretext.corpus.inspection._SLOW_CHARACTERS", 4_000)
    monkeypatch.setattr("foretext.corpus.shard_tally.BLOCK", 500)
    words = WordSettings("chinese_words")
    expected = report_of(corpus, words=words)
    assert 0 < expected.counted_rate < 0.5
    assert report_of(corpus, 1, words=words) == expected


def test_the_same_where_words_and_documents_are_sampled(corpus: Corpus) -> None:
    with (
        patch("foretext.corpus.word_statistics.WordStatistics.__init__.__defaults__", (50,)),
        patch("foretext.corpus.near_duplicate_sample.NearDuplicates.__init__.__defaults__", (20,)),
        patch("foretext.corpus.duplicates.ExactDuplicates.__init__.__defaults__", (60,)),
    ):
        expected = report_of(corpus)
        assert not expected.distinct_words_exact
        assert expected.near_duplicates.documents <= 20
        assert report_of(corpus, 1) == expected


@pytest.mark.parametrize("size", [1, 20_000, 1 << 21])
def test_where_the_text_is_cut_changes_no_count(corpus: Corpus, size: int) -> None:
    sampled = {"growth", "scripts", "symbols", "symbol_rate"}  # which depend on blocks
    expected = report_of(corpus).model_dump(exclude=sampled)
    with patch("foretext.corpus.read_shards.SHARD", size):
        assert report_of(corpus).model_dump(exclude=sampled) == expected


def test_places_are_those_of_the_files(corpus: Corpus) -> None:
    found = report_of(corpus, 1)
    places = [str(place) for place in found.exact_duplicates.places]
    lines = [Path(place.split(", ")[0]).read_text().split("\n") for place in places]
    for place, example, text in zip(places, found.exact_duplicates.examples, lines, strict=True):
        number = int(place.rsplit(" ", 1)[1])
        line = text[number - 1]
        assert example in (json.loads(line)["text"] if "row" in place else line)


def test_progress_is_told_every_byte(corpus: Corpus) -> None:
    class Bar:
        told = 0.0

        def advance(self, amount: float) -> None:
            self.told += amount

        def stage(self, title: str) -> None:
            pass

    (Path(corpus.sources[0].name).parent / "bad.jsonl").unlink()
    whole = Corpus(Path(corpus.sources[0].name).parent)
    bar = Bar()
    inspect_corpus(whole, bar, engine=LocalEngine(1))
    assert bar.told == whole.num_bytes


def test_results_of_shards_do_not_pile_up(corpus: Corpus) -> None:
    most = 0

    def noted(fill: object, data: bytes, folder: Path) -> None:
        nonlocal most
        fill_shard(fill, data, folder)  # type: ignore[arg-type]
        most = max(most, len(list(folder.parent.iterdir())))

    with patch("foretext.shards.local.fill_shard", noted):
        report_of(corpus, 1)
    assert most == 1


@pytest.mark.parametrize("name", ["tally.json", "words.txt", "counts.bin", "hashes.bin"])
def test_a_damaged_tally_is_one_sentence(corpus: Corpus, name: str) -> None:
    def damaging(fill: object, data: bytes, folder: Path) -> None:
        fill_shard(fill, data, folder)  # type: ignore[arg-type]
        (folder / name).write_bytes(b"\n\n")

    with (
        patch("foretext.shards.local.fill_shard", damaging),
        pytest.raises(OutputError, match=r"(words\.txt|counts\.bin|tally\.json|hashes\.bin)"),
    ):
        report_of(corpus, 1)


def test_an_index_beyond_the_words_is_one_sentence(corpus: Corpus) -> None:
    def damaging(fill: object, data: bytes, folder: Path) -> None:
        fill_shard(fill, data, folder)  # type: ignore[arg-type]
        path = folder / "tally.json"
        facts = json.loads(path.read_text())
        path.write_text(json.dumps(facts | {"points": [[9, 1 << 40]]}))

    with (
        patch("foretext.shards.local.fill_shard", damaging),
        pytest.raises(OutputError, match=r"tally\.json is damaged"),
    ):
        report_of(corpus, 1)
