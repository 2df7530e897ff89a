"""Symbols that become no words are counted, named, and kept by a setting that works."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.corpus import Corpus
from foretext.corpus.findings import WordSettings
from foretext.corpus.inspection import inspect_corpus
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.corpus.symbols import DROPPING, KEEPING, Symbols, dropped_sentence, symbols_in
from foretext.recipe import Recipe
from foretext.recipe.text_settings import suited
from foretext.shards.local import LocalEngine

PLAIN = [f"the {word} was on the table" for word in ("cup", "book", "plate", "fork")] * 10
PRICES = ["only 5 € :)", "© and ™ …", "a <3 for £7"] * 3


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("5€ © me ™ …", ["€", "©", "™", "…"]),
        ("fine :) or ;-) or :D", [":)", ";-)", ":D"]),
        ("a <3 <3", ["<3", "<3"]),
        ("20° in ½ of it, ±3 %", ["°", "±", "%"]),
        ("(note: so-called) 'words', a_b; and a/b [1] {x} — – “q” «q»", []),
        ("<br /> a=b | c ~ &amp; &euro; &#39;", []),
        ("sun ☀ and ❤ are words", []),
        ("10:P or 3:)", []),
    ],
)
def test_which_characters_are_symbols(text: str, symbols: list[str]) -> None:
    assert symbols_in(text) == symbols


@pytest.mark.parametrize("kind", sorted(DROPPING - {"chinese_words", "letters"}))
def test_they_are_what_pre_tokenisers_drop_and_the_advised_one_keeps(kind: str) -> None:
    for symbol in "€©™…°±%":
        assert PreTokenizer(kind).words(f"a {symbol} b") == ["a", "b"]  # type: ignore[arg-type]
        assert PreTokenizer(KEEPING).words(f"a {symbol} b") == ["a", symbol, "b"]


def test_a_sentence_names_them_where_more_than_a_few_texts_have_one() -> None:
    sentence = dropped_sentence([*PLAIN, *PRICES], "unicode_words", "linear")
    assert sentence == (
        "18.4% of the texts have symbols that become no words (€ 3, :) 3, © 3, ™ 3, … 3); "
        "--set linear.pre_tokenizer=words_and_punctuation keeps them"
    )
    assert dropped_sentence([*PLAIN, *PRICES], "whitespace", "linear") is None
    assert dropped_sentence([*PLAIN * 5, *PRICES], "unicode_words", "linear") is None
    assert dropped_sentence([], "unicode_words", "linear") is None


def test_counts_of_parts_are_added() -> None:
    whole, parts = Symbols(), [Symbols(), Symbols()]
    for part, texts in zip(parts, (PLAIN, PRICES), strict=True):
        for text in texts:
            part.add(text)
        whole.merge(part)
    assert (whole.texts, whole.with_symbols, whole.counts["£"]) == (49, 9, 3)


def test_an_inspection_names_them_whoever_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join([*PLAIN, *PRICES]) + "\n", encoding="utf-8")
    found = inspect_corpus(Corpus(path))
    assert found.symbols["€"] == 3
    assert round(found.symbol_rate, 3) == 0.184
    note = "tokenizer.pre_tokenizer = 'words_and_punctuation' keeps them."
    assert sum(str(problem).endswith(note) for problem in found.problems) == 1
    assert inspect_corpus(Corpus(path), engine=LocalEngine(2)) == found
    kept = inspect_corpus(Corpus(path), words=WordSettings("words_and_punctuation"))
    assert not any("become no words" in str(problem) for problem in kept.problems)


def test_a_pretraining_says_it_if_its_words_drop_them(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join([*PLAIN, *PRICES]) + "\n", encoding="utf-8")
    for name, drops in (("word2vec", True), ("glove", True), ("gpt", False)):
        notes = suited(Recipe.load(name), Corpus(path)).notes
        assert any("become no words" in note for note in notes) is drops, name


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("base", "section"),
    [("linear", "linear"), ("fasttext", "classifier"), ("textcnn", "tokenizer")],
)
def test_a_training_says_it_once_and_the_setting_keeps_them(
    base: str, section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(f"{text} {sign}", sign) for text in PLAIN for sign in ("€", "™")]
    settings = {"finetuning": {"baseline": False, "valid_rate": 0.0}}
    if base == "textcnn":
        settings |= {"training": {"steps": 2}, "finetuning": {"baseline": False}}
    ft.finetune("classification", base, rows, out=tmp_path / "a", settings=settings, quiet=False)
    said = capsys.readouterr().err
    setting = f"{section}.pre_tokenizer={KEEPING}"
    assert said.count("become no words") == 1
    assert f"; --set {setting} keeps them" in said
    settings |= {section: {"pre_tokenizer": KEEPING}}
    model = ft.finetune(
        "classification", base, rows, out=tmp_path / "b", settings=settings, quiet=False
    )
    assert "become no words" not in capsys.readouterr().err
    answers = model.predict_proba(["the cup €", "the cup ™"])
    assert answers[0].tolist() != answers[1].tolist()
