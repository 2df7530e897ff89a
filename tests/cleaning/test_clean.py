"""A whole cleaning: complete lists, equal results for all workers, kills, and what is refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import CorpusError, ForetextError, Interrupted, OutputError, SettingError
from foretext.cleaning import Cleaned, clean
from foretext.cleaning.shard_folder import ShardFolder, ShardParts
from foretext.corpus import Corpus
from foretext.shards import LocalEngine
from tests.cleaning.corpora import contents, kept_rows, rows_of, write_corpus

SMALL = {"shard_characters": 2000}
RULES: dict[str, Any] = {
    "min_words": 20,
    "max_top_ngrams": (1.0,) * 3,
    "max_repeated_ngrams": (1.0,) * 6,
}


def cleaned(folder: Path, **options: Any) -> Cleaned:
    """Clean the small corpus of a folder."""
    corpus = folder / "corpus.txt"
    if not corpus.exists():
        write_corpus(corpus)
    options = {"settings": SMALL, "rules": RULES, "workers": 1, "quiet": True} | options
    return clean(str(corpus), folder / "out", **options)


class _Killed(BaseException):
    """What no code of ours catches."""


def _killed_after(
    monkeypatch: pytest.MonkeyPatch, target: Any, name: str, calls: int
) -> Callable[[], None]:
    """Let a function die after some calls; what is returned brings it back."""
    real, left = getattr(target, name), iter(range(calls))

    def dying(*arguments: Any, **options: Any) -> Any:
        if next(left, None) is None:
            raise _Killed
        return real(*arguments, **options)

    monkeypatch.setattr(target, name, dying)
    return lambda: monkeypatch.setattr(target, name, real)


def test_every_document_is_kept_or_listed(tmp_path: Path) -> None:
    done = cleaned(tmp_path)
    read = list(Corpus(tmp_path / "corpus.txt"))
    kept, dropped = kept_rows(done.path), rows_of(done.dropped)
    assert len(kept) + len(dropped) == len(read) == done.facts.read.documents == 60
    assert len({row["line"] for row in [*kept, *dropped]}) == 60
    assert sum(done.facts.reasons.values()) == len(dropped)
    assert set(done.facts.reasons) == {"exact_duplicate", "near_duplicate", "min_words"}
    assert done.facts.kept.documents == len(kept)
    assert list(done.corpus) == [row["text"] for row in kept]
    lines = [row["line"] for row in dropped]
    assert lines == sorted(lines)


def test_reasons(tmp_path: Path) -> None:
    done = cleaned(tmp_path)
    kept = {row["line"]: row["text"] for row in kept_rows(done.path)}
    for row in rows_of(done.dropped):
        if row["reason"] == "min_words":
            assert row["beginning"].startswith("too short")
            assert (row["figure"], row["threshold"]) == (5, 20)
        elif row["reason"] == "exact_duplicate":
            assert kept[row["twin"]["line"]].startswith(row["beginning"])
            assert row["figure"] == 1
        else:
            assert row["threshold"] == 0.8 <= row["figure"] < 1
            assert row["twin"]["line"] in kept


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    first = contents(cleaned(tmp_path).path)
    assert len(first) > 5
    for workers in (2, 4):
        again = cleaned(tmp_path, workers=workers, overwrite=True)
        assert contents(again.path) == first


KILLED = """
import os, signal, sys
from foretext.cleaning import clean
from foretext.shards import LocalEngine
real = LocalEngine.run
def slow(self, work, shards):
    for done in real(self, work, shards):
        if done.number == 3:
            print("now", flush=True)
            signal.pause()
        yield done
LocalEngine.run = slow
from tests.cleaning.test_clean import RULES, SMALL
clean(sys.argv[1], sys.argv[2], settings=SMALL, rules=RULES, workers=2, quiet=True)
"""


@pytest.mark.slow
def test_a_killed_cleaning_goes_on(tmp_path: Path) -> None:
    expected = contents(cleaned(tmp_path).path)
    out = tmp_path / "again"
    program = [sys.executable, "-c", KILLED, str(tmp_path / "corpus.txt"), str(out)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.kill()
    assert not (out / "clean.json").exists()
    options: dict[str, Any] = {"settings": SMALL, "rules": RULES, "quiet": True}
    with pytest.raises(OutputError, match="unfinished cleaning; go on with --resume"):
        clean(str(tmp_path / "corpus.txt"), out, **options)
    with pytest.raises(OutputError, match="begun with other texts or settings"):
        clean(str(tmp_path / "corpus.txt"), out, quiet=True, resume=True)
    done = clean(str(tmp_path / "corpus.txt"), out, resume=True, workers=1, **options)
    assert contents(done.path) == expected
    assert sorted(path.name for path in out.iterdir()) == [
        "clean.json", "dropped.jsonl", "kept", "report.html",
    ]  # fmt: skip


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("place", "calls"),
    [
        ("foretext.cleaning.shard_folder.write", 2),
        ("foretext.cleaning.job.find_duplicates", 0),
        ("foretext.cleaning.writing._write_part", 2),
        ("foretext.cleaning.job.write_cleaning_report", 0),
        ("foretext.cleaning.building.promote", 0),
        ("foretext.base.replacement._remove", 0),
    ],
)
def test_killed_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, calls: int
) -> None:
    expected = contents(cleaned(tmp_path).path)
    module, _, name = place.rpartition(".")
    target: Any = ShardFolder if name == "write" else import_module(module)
    revive = _killed_after(monkeypatch, target, name, calls)
    with pytest.raises(_Killed):
        cleaned(tmp_path, overwrite=True)
    revive()
    assert contents(cleaned(tmp_path, resume=True).path) == expected


def test_finished_shards_are_not_cleaned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revive = _killed_after(monkeypatch, ShardFolder, "write", 3)
    with pytest.raises(_Killed):
        cleaned(tmp_path)
    revive()
    names: list[str] = []
    real = ShardFolder.write

    def noted(self: ShardFolder, parts: ShardParts) -> None:
        names.append(self.path.name)
        real(self, parts)

    monkeypatch.setattr(ShardFolder, "write", noted)
    cleaned(tmp_path, resume=True)
    assert names[0] == "shard-00003"


def test_a_signal_stops_it_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = LocalEngine.run

    def run_and_stop(self: LocalEngine, work: Any, shards: Any) -> Any:
        for done in real(self, work, shards):
            if done.number == 2:
                signal.raise_signal(signal.SIGTERM)
            yield done

    monkeypatch.setattr(LocalEngine, "run", run_and_stop)
    with pytest.raises(Interrupted, match="Stopped by SIGTERM; go on with --resume"):
        cleaned(tmp_path)
    monkeypatch.undo()
    assert cleaned(tmp_path, resume=True).facts.read.documents == 60


@pytest.mark.slow
def test_a_poisoned_document_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    bad = "\x00\x1b]0;title\x07\u202e" + "\ud7ff\ufeff" + "x" * (10 << 20)
    good = "The sea and the ship of that harbour have a rope."
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("", bad, "\x07", good)))
    done = clean(str(path), tmp_path / "out", settings={"rules": False}, workers=1, quiet=True)
    assert kept_rows(done.path)[-1] == {"text": good, "file": str(path), "row": 4, "language": "en"}
    assert "\x1b" not in done.report.read_text() + done.dropped.read_text()
    assert {row["reason"] for row in rows_of(done.dropped)} <= {
        "empty",
        "exact_duplicate",
        "near_duplicate",
    }
    read = done.facts.read.documents
    assert read == len(kept_rows(done.path)) + len(rows_of(done.dropped)) >= 12


@pytest.mark.slow
def test_languages_tests_and_personal_data(tmp_path: Path) -> None:
    texts = [
        "Write to ann@example.org about the ship, and the captain will have that letter.",
        "Das Schiff liegt im Hafen und der Kapitän schreibt einen Brief an die Mannschaft.",
        "They say that the quick brown fox of the north jumps over the lazy dog each morning.",
    ]
    test = tmp_path / "test.csv"
    test.write_text("text,label\nthe quick brown fox of the north jumps over the lazy dog,x\n")
    done = clean(
        texts,
        tmp_path / "out",
        against=test,
        settings={"rules": False, "languages": ["en"], "mask": ["email"]},
        workers=2,
        quiet=True,
    )
    [row] = kept_rows(done.path)
    assert row["text"].startswith("Write to [EMAIL] about")
    assert done.facts.masked == {"email": 1}
    wrong, found = rows_of(done.dropped)
    assert (wrong["reason"], wrong["found"]) == ("language", "de")
    assert found["reason"] == "test_text"
    assert found["twin"].startswith(f"{test}, ")
    assert "fox of the north" in found["found"]


GERMAN = (
    "Das Schiff liegt im Hafen von {0}, und der Kapitän schreibt einen Brief an die Mannschaft. "
    "Die Matrosen haben {1} Kisten aus dem Lager geholt, aber der Regen hört nicht auf. "
    "Am Abend sitzen sie mit den Fischern in einer Stube und erzählen von ihren Reisen. "
    "Wenn der Wind dreht, werden sie nach {2} segeln, wo man auf die Ladung wartet.\n"
)
FRENCH = (
    "Le navire est au port de {0}, et le capitaine écrit une lettre à ses hommes. "
    "Les marins ont porté {1} caisses dans la cale, mais la pluie ne cesse pas. "
    "Le soir, ils sont assis avec les pêcheurs et parlent de leurs voyages. "
    "Quand le vent tournera, ils iront à {2}, où l'on attend la cargaison depuis des mois.\n"
)


@pytest.mark.parametrize(("text", "language"), [(GERMAN, "de"), (FRENCH, "fr")])
def test_text_of_other_languages_is_kept_by_default(
    tmp_path: Path, text: str, language: str
) -> None:
    names = ["Kiel", "Brest", "Emden", "Malmö", "Turku", "Riga", "Porto", "Genua"]
    texts = [
        text.format(names[row % 8], row * row + 3, names[row // 8]) + f"{row * 7919:b} {row}."
        for row in range(24)
    ]
    settings = {"duplicates": "exact"}
    done = clean(texts, tmp_path / "out", settings=settings, workers=1, quiet=True)
    assert done.facts.kept.documents == 24
    assert {row["language"] for row in kept_rows(done.path)} == {language}
    asked = {**settings, "languages": [language]}
    done = clean(texts, tmp_path / "asked", settings=asked, workers=1, quiet=True)
    assert done.facts.kept.documents == 24


def test_a_dropped_document_shows_no_personal_data(tmp_path: Path) -> None:
    texts = ["mail ann@example.org", "The ship lies in the harbour with a sail."]
    settings = {"mask": ["email"]}
    done = clean(
        texts, tmp_path / "out", settings=settings, rules={"min_words": 5, "min_sentences": 1},
        workers=1, quiet=True,
    )  # fmt: skip
    assert rows_of(done.dropped)[0]["beginning"] == "mail [EMAIL]"
    assert "ann@" not in done.report.read_text() + (done.path / "clean.json").read_text()


def test_changes_are_counted_and_shown(tmp_path: Path) -> None:
    texts = ["a caf\u00e9 and a bar", "a cafe\u0301 and another bar\u0007"]
    done = clean(texts, tmp_path / "out", settings={"rules": False}, workers=1, quiet=True)
    assert done.facts.changed == 1
    [change] = done.facts.changes
    assert change.after == "a café and another bar"
    assert "café and another" in done.report.read_text()


def test_duplicates_can_stay(tmp_path: Path) -> None:
    texts = ["The ship lies in the harbour.", "The  ship lies in the HARBOUR."]
    for duplicates, number in (("kept", 2), ("exact", 1)):
        settings = {"rules": False, "duplicates": duplicates}
        done = clean(texts, tmp_path / duplicates, settings=settings, workers=1, quiet=True)
        assert done.facts.kept.documents == number


def test_a_repeated_near_duplicate_names_what_is_kept(tmp_path: Path) -> None:
    base = " ".join(f"word{number}" for number in range(200))
    texts = [base, f"{base} more", f"{base} more"]
    done = clean(texts, tmp_path / "out", settings={"rules": False}, workers=1, quiet=True)
    near, exact = rows_of(done.dropped)
    assert (near["reason"], exact["reason"]) == ("near_duplicate", "exact_duplicate")
    assert near["twin"]["row"] == exact["twin"]["row"] == 1
    assert near["figure"] == exact["figure"] < 1


def test_much_is_dropped_with_a_warning(tmp_path: Path) -> None:
    texts = ["a short title", "another one", "The ship lies in the harbour, and it has sails."]
    done = clean(
        texts, tmp_path / "out", rules={"min_words": 9, "min_sentences": 0}, workers=1, quiet=True
    )
    [warning] = done.facts.warnings
    assert warning.startswith("min_words drops 67% of the documents")
    assert warning in done.report.read_text()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"settings": {"near_duplicates": 0.2}}, r"\[clean\] near_duplicates = 0.2"),
        ({"settings": {"without_rules": ["min_word"]}}, "no rule 'min_word'. Did you mean"),
        ({"settings": {"rules": False, "without_rules": ["braces"]}}, "there is no rule 'braces'"),
        ({"settings": {"duplicates": "kept", "near_duplicates": 0.9}}, "has no effect on"),
        ({"settings": {"min_confidence": 0.9}}, "has no effect without languages"),
        ({"settings": {"languages": ["xx"]}}, "no such language"),
        ({"settings": {"languages": ["en"], "language_model": "lid.bin"}}, "no such model"),
        ({"rules": {"min_wrds": 1}}, "Did you mean 'min_words'"),
        ({"against": "gone.csv"}, "gone.csv: there is no such file"),
        ({"against": "-"}, "cannot come from standard input"),
        ({"workers": 0}, "workers = 0"),
        ({"engine": LocalEngine(1)}, "workers = 1 has no effect beside an engine"),
        ({"settings": {"languages": ["ko"]}}, "Nothing is left of 60 documents: language drops 60"),
        ({"resume": True}, "no unfinished cleaning"),
    ],
)
def test_refused_with_a_sentence(tmp_path: Path, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ForetextError, match=sentence):
        cleaned(tmp_path, **options)
    assert not (tmp_path / "out").exists()


def test_a_refusal_of_a_worker_arrives(tmp_path: Path) -> None:
    settings = {"languages": ("en",), "language_model": "lid.bin"}
    with pytest.raises(ForetextError, match="there is no such model"):
        cleaned(tmp_path, settings=settings, workers=2)


def test_folders_that_will_not_do(tmp_path: Path) -> None:
    write_corpus(tmp_path / "texts.txt", 4)
    with pytest.raises(OutputError, match="is inside the corpus"):
        clean(str(tmp_path), tmp_path / "clean", quiet=True)
    with pytest.raises(OutputError, match="is inside"):
        clean(str(tmp_path / "texts.txt"), tmp_path, quiet=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.md").write_text("x")
    with pytest.raises(OutputError, match="other files in it"):
        clean(str(tmp_path / "texts.txt"), tmp_path / "other", quiet=True)


def test_a_clean_corpus_stays_until_the_new_one_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = contents(cleaned(tmp_path).path)
    with pytest.raises(OutputError, match="holds a clean corpus"):
        cleaned(tmp_path)
    with pytest.raises(CorpusError, match="Nothing is left"):
        cleaned(tmp_path, settings={"languages": ["ko"]}, overwrite=True)
    assert contents(tmp_path / "out") == first


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_bytes(b"good text\n\xff\xfe\xfa bad\n")
    with pytest.raises(CorpusError, match=r"corpus.txt, line 2: byte"):
        cleaned(tmp_path)


def test_a_worker_that_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(SettingError, match=r"process that works on the text ended \(code 1\)"):
        cleaned(tmp_path, workers=2)


def test_the_result_in_python(tmp_path: Path) -> None:
    assert ft.clean is clean
    done = cleaned(tmp_path)
    assert repr(done).startswith(f"Cleaned(path={done.path}, read=60, kept=")
    assert Cleaned(done.path).facts == done.facts
    with pytest.raises(OutputError):
        Cleaned(tmp_path)
