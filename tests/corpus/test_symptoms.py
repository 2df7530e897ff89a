from __future__ import annotations

from functools import partial

import pytest

from foretext.corpus.findings import Place
from foretext.corpus.symptoms import Symptoms


def _place(file: str, at: int) -> Place:
    return Place(file=file, line=at)


def symptoms_of(text: str) -> Symptoms:
    symptoms, part = Symptoms(), Symptoms()
    part.add(text + "\n\n")
    symptoms.merge(part, lambda at: Place(file="a.txt", line=text.count("\n", 0, at) + 1))
    return symptoms


def test_signs_of_parts_are_added_and_the_first_is_shown() -> None:
    whole, parts = Symptoms(), [Symptoms() for _ in range(3)]
    for part, texts in zip(parts, (["no"], ["one", "x <br> y"], ["&amp; <br>"]), strict=True):
        for number, text in enumerate(texts):
            part.add(f"{text}\n\n", 5 * number)
    for number, part in enumerate(parts):
        whole.merge(part, partial(_place, str(number)))
    assert (whole.html.count, whole.html.example) == (3, "x <br> y")
    assert whole.html.place == Place(file="1", line=7)
    assert whole.lines == 4 * 3
    assert whole.characters["e"] == 1


def test_healthy_text_shows_none() -> None:
    healthy = symptoms_of("Größe, São Paulo, NÃO, Ânimo, 5 < 6 & 7 > 3, naïve. It rains. " * 10)
    assert not any(
        sign.count
        for sign in (healthy.mojibake, healthy.html, healthy.replacement, healthy.unknown)
    )
    assert not healthy.is_tokenised
    assert not healthy.is_lower_case


@pytest.mark.parametrize("text", ["café", "don’t", "«été»", "naïve — no"])
def test_mojibake_is_seen(text: str) -> None:
    wrong = text.encode().decode("cp1252", errors="ignore")
    sign = symptoms_of(f"fine\n\n{wrong}").mojibake
    assert sign.count >= 1
    assert sign.place == Place(file="a.txt", line=3)
    assert sign.example == wrong


@pytest.mark.parametrize("text", ["<br>", "</p>", '<a href="x">', "&amp;", "&#39;"])
def test_html_is_seen(text: str) -> None:
    assert symptoms_of(f"one {text} two").html.count == 1


def test_replacement_characters_and_unknown_words() -> None:
    symptoms = symptoms_of("a \ufffd b <unk> c <unk>")
    assert (symptoms.replacement.count, symptoms.unknown.count) == (1, 2)


def test_tokenised_and_lower_case_text() -> None:
    symptoms = symptoms_of("it is , as they say , tokenised . " * 50)
    assert symptoms.is_tokenised
    assert symptoms.is_lower_case
    assert not symptoms_of("词，" * 1000).is_lower_case


def test_text_with_unknown_words_and_no_commas_is_tokenised() -> None:
    """As the Penn Treebank of the language models."""
    symptoms = symptoms_of("mr. <unk> is chairman of the dutch group \n" * 30)
    assert symptoms.is_tokenised
    assert symptoms.tokenised_by == "rare words are <unk> in it"
    assert not symptoms_of("mr. <unk> is chairman of the dutch group \n" * 5).is_tokenised


def test_an_open_tag_does_not_take_long() -> None:
    assert symptoms_of("<a " * 100_000).html.count == 0


RUSSIAN = "Корабль вернулся в гавань поздно ночью, и никто не знал, почему молчит капитан.\n\n"
GREEK = "Το πλοίο γύρισε στο λιμάνι αργά τη νύχτα και κανείς δεν ήξερε γιατί σωπαίνει.\n\n"


@pytest.mark.parametrize(("text", "encoding"), [(RUSSIAN, "cp1251"), (GREEK, "cp1253")])
def test_text_of_the_wrong_encoding_is_seen(text: str, encoding: str) -> None:
    assert not symptoms_of(text * 3).is_of_wrong_encoding
    wrong = symptoms_of((text * 3).encode(encoding).decode("latin-1"))
    assert wrong.is_of_wrong_encoding
    assert wrong.strange.example in text.encode(encoding).decode("latin-1")
    assert not symptoms_of("a few words: ÀÁÂÃÄ").is_of_wrong_encoding  # too few


def test_what_nobody_sees_is_counted() -> None:
    sign = symptoms_of("Donau\u00addampf\u00adschiff\n\nwater\u2060fall").invisible
    assert sign.count == 3
    assert "Donau" in sign.example
    assert symptoms_of("Donaudampfschiff می\u200cخواهم").invisible.count == 0
