"""Files of different kinds in one corpus: each is read as it would be alone."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.cleaning import clean
from foretext.corpus import Corpus, CorpusConfig, inspect_corpus
from foretext.corpus.blocks import first_bytes
from foretext.corpus.layout import Layout, line_ends
from foretext.corpus.text_shards import TextShards, shard_blocks
from foretext.recipe.recipe import Recipe
from foretext.recipe.text_settings import suited
from foretext.shards import LocalEngine
from tests.corpus.wrapped_texts import VERSE, book, paragraphs, wrapped

REVIEWS = "".join(
    f"这家店的第{number}道菜很好吃，服务员也很热情，我们下次还会再来。\n" for number in range(60)
)
MINUTES = "".join(f"{text}\n\n" for text in paragraphs(40))
ARTICLES = "".join(f"Title {number}\n" + "\n".join(paragraphs(4)) + "\n\n" for number in range(30))
FILES: dict[str, str] = {
    "book.txt": book(),
    "reviews.txt": REVIEWS,
    "articles.txt": ARTICLES,
    "rows.csv": "id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(paragraphs(25))),
    "rows.jsonl": "".join(json.dumps({"text": text}) + "\n" for text in paragraphs(30)),
    "rows.tsv": "text\tid\n" + "".join(f"{text}\t{n}\n" for n, text in enumerate(paragraphs(21))),
}


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    return written(tmp_path / "mixed", FILES)


def alone(folder: Path, **config: str) -> list[str]:
    """Return the documents of all files, each read as a corpus of its own."""
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    settings = CorpusConfig.checked(config, "corpus")
    return [text for file in files for text in Corpus(file, settings)]


def test_a_book_beside_reviews(tmp_path: Path) -> None:
    folder = written(tmp_path / "two", {name: FILES[name] for name in ("book.txt", "reviews.txt")})
    corpus = Corpus(folder)
    found = list(corpus)
    assert found == alone(folder)
    assert found[-60:] == REVIEWS.splitlines()
    assert [chapter.split("\n")[0] for chapter in found[:-60]] == [
        f"CHAPTER {number}" for number in range(1, 5)
    ]
    assert (corpus.resolved.lines, corpus.resolved.documents) == ("auto", "auto")
    backwards = Corpus([folder / "reviews.txt", folder / "book.txt"])
    assert list(backwards) == found[-60:] + found[:-60]
    only_reviews = Corpus([folder / "reviews.txt", folder / "reviews.txt"])
    assert (only_reviews.resolved.lines, only_reviews.resolved.documents) == ("whole", "line")


def test_every_file_is_read_as_it_is_alone(mixed: Path) -> None:
    expected = alone(mixed)
    corpus = Corpus(mixed)
    assert list(corpus) == expected
    assert list(corpus.reread(corpus.resolved)) == expected
    assert list(Corpus(mixed, corpus.resolved)) == expected
    assert list(first_bytes(corpus, None)) == expected
    assert list(first_bytes(corpus, 20_000)) == expected[: len(list(first_bytes(corpus, 20_000)))]


@pytest.mark.parametrize(
    "settings", [{"lines": "whole"}, {"documents": "line"}, {"lines": "wrapped"}]
)
def test_settings_hold_for_all_files(tmp_path: Path, settings: dict[str, str]) -> None:
    folder = written(tmp_path / "texts", {n: t for n, t in FILES.items() if n.endswith(".txt")})
    corpus = Corpus(folder, CorpusConfig.checked(settings, "corpus"))
    for source in corpus.sources:
        reading = corpus.reading(source)
        assert all(getattr(reading, name) == value for name, value in settings.items())
        assert "auto" not in (reading.lines, reading.documents)
    assert list(corpus) == alone(folder, **settings)


def test_shards_give_the_same_text(mixed: Path, tmp_path: Path) -> None:
    corpus = Corpus(mixed)
    expected = "".join(corpus.blocks())
    shards = TextShards(LocalEngine(1), tmp_path / "shards", 1000)
    cut = ["".join(shard_blocks(shard.data())) for shard in shards._shards(corpus)]
    assert "".join(cut) == expected


@pytest.mark.slow
def test_inspect_and_clean_read_them_so(mixed: Path, tmp_path: Path) -> None:
    written(mixed, {"notes.md": "# no", ".hidden.txt": "no", "old.zip": "no"})
    expected = alone(Path(written(tmp_path / "same", FILES)))
    report = inspect_corpus(Corpus(mixed))
    assert report.documents == len(expected)
    assert report.documents_end == "mixed"
    kinds = {(kind.format, kind.lines, kind.documents_end): kind for kind in report.kinds}
    assert kinds["txt", "wrapped", "blank_lines"].examples == [str(mixed / "book.txt")]
    assert kinds["txt", "whole", "line"].documents == 60
    assert kinds["txt", "whole", "blank_line"].documents == 30
    assert {format for format, _, end in kinds if end == "row"} == {"csv", "jsonl", "tsv"}
    assert report.left_out == {".md": 1, "hidden": 1, ".zip": 1}
    assert any("3 files are not read (1 .md, 1 " in problem.sentence for problem in report.problems)
    assert not {"lines", "documents"} & set(report.settings["corpus"])  # what suits only one
    everything = {"rules": dict.fromkeys(("min_words", "min_stop_words"), 0)}
    done = clean(str(mixed), tmp_path / "out", workers=1, quiet=True, **everything)
    assert done.facts.read.documents == len(expected)


def test_a_run_says_how_it_reads(tmp_path: Path) -> None:
    folder = written(tmp_path / "two", {name: FILES[name] for name in ("book.txt", "reviews.txt")})
    recipe = Recipe.load("word2vec")
    found = suited(recipe, Corpus(folder, recipe.corpus))
    assert (found.recipe.corpus.lines, found.recipe.corpus.documents) == ("auto", "auto")
    assert list(found.text) == alone(folder)
    note = next(note for note in found.notes if "read by its own beginning" in note)
    assert "1 file (" in note
    assert "lines joined" in note


def test_short_files_are_decided_together(tmp_path: Path) -> None:
    letters = {
        f"{number:02}.txt": "".join(wrapped(text) for text in paragraphs(number + 3)[number:])
        for number in range(10)
    }
    folder = written(tmp_path / "letters", letters)
    assert Corpus(folder / "00.txt").resolved.lines == "whole"  # too short to tell
    corpus = Corpus(written(folder, {"verse.txt": VERSE * 3}))
    assert {corpus.reading(source).lines for source in corpus.sources[:-1]} == {"wrapped"}
    assert corpus.reading(corpus.sources[-1]).lines == "whole"


def test_many_small_files_are_documents_whatever_is_beside_them(tmp_path: Path) -> None:
    posts = {f"{n:02}.txt": "\n\n".join(paragraphs(n % 4 + 2)) + "\n" for n in range(30)}
    folder = written(tmp_path / "posts", posts | {"book.txt": book(40), "reviews.txt": REVIEWS})
    corpus = Corpus(folder)
    ends = [corpus.reading(source).documents for source in corpus.sources]
    assert ends == ["file"] * 30 + ["blank_lines", "line"]
    assert len(list(corpus)) == 30 + 40 + 60


def test_a_file_that_cannot_be_read_changes_no_other(mixed: Path) -> None:
    expected = {path.name: len(list(Corpus(path))) for path in mixed.iterdir()}
    (mixed / "a.txt").write_bytes(b"caf\xe9\n")
    corpus = Corpus(mixed)
    with pytest.raises(CorpusError, match=r"a\.txt, line 1"):
        list(corpus)
    report = inspect_corpus(Corpus(mixed))
    found = {Path(file.name).name: file.documents for file in report.files}
    assert found == {"a.txt": 0} | expected


@pytest.mark.parametrize("seed", range(4))
def test_random_folders(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    pack: list[tuple[str, Callable[[bytes], bytes]]] = [
        ("", bytes), (".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)
    ]  # fmt: skip
    kinds = [*FILES.items(), ("minutes.txt", MINUTES), ("verse.txt", VERSE * 4), ("e.txt", "\n")]
    for number in range(6):
        name, text = draw.choice(kinds)
        suffix, packed = draw.choice(pack)
        (tmp_path / f"{number}{name}{suffix}").write_bytes(packed(text.encode()))
    (tmp_path / "z.txt").write_text("text\n" * 30)
    expected = [
        text
        for file in sorted(tmp_path.iterdir())
        if not file.name[1:].startswith("e.txt")
        for text in Corpus(file)
    ]
    corpus = Corpus(tmp_path)
    assert list(corpus) == expected
    assert inspect_corpus(corpus).documents == len(expected)


def test_lines_are_joined_only_where_that_may_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined: list[str] = []
    real = Layout.read_as
    monkeypatch.setattr(
        Layout, "read_as", lambda self, lines: joined.append(lines) or real(self, lines)
    )
    cut = textwrap.wrap("the ship came home late, and the old man saw it from his window " * 40, 60)
    notes = ["a short note."] * 50
    path = tmp_path / "notes.txt"
    path.write_text("\n".join([*cut, *notes]) + "\n")
    corpus = Corpus(path)
    ends = line_ends(path.read_text())
    assert ends.may_have_cuts
    assert not ends.may_be_wrapped
    assert corpus.resolved.lines == "whole"
    assert joined == []
    config = CorpusConfig(lines="wrapped")
    assert corpus.reread(config).resolved == Corpus(path, config).resolved
    assert joined == ["wrapped", "wrapped"]
