"""Every kind of run can show what it makes of a text, whatever the text is."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.artifact import kind_of_run
from foretext.base.errors import ForetextError, SettingError
from foretext.kinds import KINDS, TASK
from foretext.messages import Language
from foretext.report.showing import Showing
from foretext.vectors.token_vectors import TokenVectors
from tests.audit.folders import KINDS as RUNS
from tests.audit.folders import finished
from tests.language_model.models import learned_tokenizer

OTHERS = ("search index", "static vectors")
TEXT = "the dog barks in the morning"
HOSTILE = "<script>alert('dog')</script> & </td> \x1b[31mthe\u202e {rate} %s cat"
TEXTS: dict[str, tuple[str, Language]] = {
    "english": (f"{TEXT}\nevery cat purrs again", "en"),
    "chinese": ("狗 barks 在早上 the dog", "zh"),
    "hostile": (HOSTILE, "en"),
    "long": ("the dog and the cat " * 500, "en"),
}
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
TWO = ("matching", "linear matcher", "span_qa")  # kinds that read two texts in a line


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The kinds that the audit has no run of, and examples of an autoencoder."""
    folder = tmp_path_factory.mktemp("made")
    texts = [TEXT, "the cat purrs at noon", "every hen clucks again"]
    ft.index(finished("word2vec"), texts, folder / "index", quiet=True)
    tokenizer = learned_tokenizer("wordpiece")
    rows = np.random.default_rng(0).normal(size=(tokenizer.vocab_size, 8)).astype(np.float32)
    TokenVectors(tokenizer, rows).save(folder / "static")
    np.save(folder / "pictures.npy", np.random.default_rng(0).random((2, 6, 6), np.float32))
    return {
        "search index": folder / "index",
        "static vectors": folder / "static",
        "pictures": folder / "pictures.npy",
    }


def run_of(kind: str, made: dict[str, Path]) -> Path:
    return made[kind] if kind in OTHERS else finished(kind)


def text_for(kind: str, text: str, made: dict[str, Path]) -> str:
    if kind == "autoencoder":
        return str(made["pictures"])
    return "\n".join("\t".join([line] * (1 + (kind in TWO))) for line in text.split("\n"))


@cache
def name_of_kind(path: Path) -> str:
    return kind_of_run(path).name


def test_there_is_a_run_of_every_kind(made: dict[str, Path]) -> None:
    assert {name_of_kind(run_of(kind, made)) for kind in (*RUNS, *OTHERS)} == {*KINDS, TASK.name}


@pytest.mark.quick_cases(22)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("kind", [*RUNS, *OTHERS])
def test_every_kind_shows_every_text(kind: str, text: str, made: dict[str, Path]) -> None:
    given, lang = TEXTS[text]
    showing = ft.show(run_of(kind, made), text_for(kind, given, made), lang=lang)
    check(showing)
    if lang == "zh":
        assert re.search("[\u4e00-\u9fff]", showing.title)
        assert re.search("[\u4e00-\u9fff]", json.dumps(showing.to_json(), ensure_ascii=False))


def check(showing: Showing) -> None:
    data = showing.to_json()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["shown"]
    page, text = showing.to_html(), str(showing)
    assert "<script" not in page.partition("<body>")[2]
    assert not STEERING.search(page.replace("\n", ""))
    assert not STEERING.search(text.replace("\n", ""))


@pytest.mark.parametrize("kind", [*RUNS, *OTHERS])
def test_nothing_and_no_file_are_refused_by_a_sentence(kind: str, made: dict[str, Path]) -> None:
    for text in ("", " \n ", "missing.txt"):
        with pytest.raises(ForetextError) as raised:
            ft.show(run_of(kind, made), text)
        assert "\n" not in str(raised.value)


def test_a_run_draws_nothing(made: dict[str, Path]) -> None:
    for options in ({"seed": 1}, {"tokenizer": "t"}, {"settings": ["a.b=1"]}):
        with pytest.raises(SettingError, match=f"^{min(options)} has no effect on a trained model"):
            ft.show(finished("bert"), TEXT, **options)


def test_a_model_in_memory_shows_what_its_run_does(made: dict[str, Path]) -> None:
    run = finished("classification")
    opened = ft.show(ft.load(run), TEXT, lang="en")
    assert opened.shown == ft.show(run, TEXT, lang="en").shown


def test_rows_of_a_file_are_read_as_the_task_reads_them(tmp_path: Path) -> None:
    table = tmp_path / "rows.tsv"
    table.write_text("label\ttext\ncat\tthe cat purrs\ndog\tthe dog barks\n", encoding="utf-8")
    showing = ft.show(finished("classification"), str(table), lang="en")
    assert [shown.title for shown in showing.shown] == ["the cat purrs", "the dog barks"]


def test_the_number_of_lines_is_limited_and_said(tmp_path: Path) -> None:
    text = tmp_path / "lines.txt"
    text.write_text("the dog barks\nthe cat purrs\nthe hen clucks\n", encoding="utf-8")
    showing = ft.show(finished("bert"), text, examples=2, lang="en")
    assert [shown.title for shown in showing.shown] == ["the dog barks", "the cat purrs"]
    assert "The first 2 of 3 lines" in str(showing)
    alone = str(ft.show(finished("word2vec"), text, examples=1, lang="en"))
    assert "The first line of 3 is shown" in alone


@pytest.mark.parametrize(("most", "said"), [(2, "of more than 2 lines"), (3, "of 3 lines")])
def test_lines_that_are_not_counted_are_not_said(
    most: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.report.run_showing.MOST_READ", most)
    monkeypatch.setattr("foretext.report.run_showing.MOST_LINES", 2)
    text = tmp_path / "lines.txt"
    text.write_text("the dog barks\nthe cat purrs\nthe hen clucks\n", encoding="utf-8")
    assert said in str(ft.show(finished("word2vec"), text, lang="en"))


def test_an_opened_autoencoder_reads_examples(made: dict[str, Path]) -> None:
    run, file = finished("autoencoder"), made["pictures"]
    shown = ft.show(run, file, lang="en").shown
    for given in (str(file), file, np.load(file), np.load(file).tolist()):
        assert ft.show(ft.load(run), given, lang="en").shown == shown
        assert ft.show(run, given, lang="en").shown == shown
    for model in (run, ft.load(run)):
        with pytest.raises(ForetextError, match="reads no text"):
            ft.show(model, "the dog barks")
