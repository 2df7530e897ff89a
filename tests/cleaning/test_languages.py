"""Languages by script and frequent words, by a model, and by lingua."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import MissingExtraError, ModelFileError, SettingError, VectorFileError
from foretext.cleaning import languages
from foretext.cleaning.languages import by_script, identifier, means_for
from foretext.tasks.fasttext.classifier import FastTextClassifier

TEXTS = {
    "en": "The ship lay in the harbour, and nobody knew whether it would ever leave.",
    "zh": "船停在港口里，没有人知道它会不会离开。",
    "ja": "船は港に停泊していて、いつ出るのか誰も知らなかった。",
    "ko": "배는 항구에 있었고 언제 떠날지 아무도 몰랐다.",
    "th": "เรืออยู่ในท่าเรือ และไม่มีใครรู้ว่าจะออกเมื่อใด",
    "el": "Το πλοίο ήταν στο λιμάνι και κανείς δεν ήξερε πότε θα φύγει.",
    "he": "האונייה עגנה בנמל ואיש לא ידע מתי תצא לדרך.",
}
WORDS = {
    "de": "Das Schiff lag im Hafen, und niemand wusste, ob es je wieder auslaufen würde.",
    "fr": "Le navire était au port, et personne ne savait s'il repartirait un jour.",
    "es": "El barco estaba en el puerto y nadie sabía si volvería a salir algún día.",
    "ru": "Корабль стоял в гавани, и никто не знал, выйдет ли он в море.",
    "it": "La nave era nel porto e nessuno sapeva se sarebbe mai ripartita con gli altri.",
    "pt": "O navio estava no porto e ninguém sabia se não voltaria com as outras.",
    "nl": "Het schip lag in de haven en niemand wist of het nog zou vertrekken.",
    "sv": "Skeppet låg i hamnen och ingen visste om det skulle segla igen från den.",
    "da": "Skibet lå i havnen, og ingen vidste, om det var på vej efter de andre blev sejlet.",
    "fi": "Laiva oli satamassa, ja kukaan ei tiennyt, että se ei ole enää lähdössä.",
    "pl": "Statek stał w porcie i nikt nie wiedział, czy jest tam jeszcze, ale się bał.",
    "cs": "Loď stála v přístavu a nikdo nevěděl, jestli se ještě vrátí, ale byla to ona.",
    "hu": "A hajó a kikötőben volt, és senki nem tudta, hogy az még elindul.",
    "tr": "Gemi limandaydı ve bir daha ne kadar sonra çıkacağı için kimse emin değildi.",
    "uk": "Корабель стояв у гавані, і ніхто не знав, що це було та як він вийде.",
    "ar": "كانت السفينة في الميناء ولا أحد من الناس يعرف إلى أين تذهب.",
    "fa": "کشتی در بندر بود و هیچ کس از آن خبر نداشت که به کجا می رود.",
    "hi": "जहाज बंदरगाह में था और किसी को नहीं पता था कि वह कब जाएगा।",
    "vi": "Con tàu nằm trong cảng và không ai biết nó có được ra khơi cho đến khi trời sáng.",
}
UNKNOWNS = [
    "12 + 30 = 42",
    "",
]


def test_by_script() -> None:
    assert [each.language for each in by_script(list(TEXTS.values()))] == list(TEXTS)
    assert all(each.confidence > 0.7 for each in by_script(list(TEXTS.values())))
    assert [each.language for each in by_script(list(WORDS.values()))] == list(WORDS)
    assert {each.language for each in by_script(UNKNOWNS)} == {"und"}


def test_names_and_numbers_are_of_no_language() -> None:
    texts = ["cheap pills online buy now viagra casino bonus", "Schmidt Müller Dupont García 1994"]
    assert {each.language for each in by_script(texts)} == {"und"}


def test_what_finds_a_language() -> None:
    assert means_for(["en", "zh"], "auto", None) == "script"
    assert means_for([], "auto", None) == "script"
    assert means_for(["xx"], "auto", "lid.bin") == "model"
    assert means_for(["de", "fr", "ru"], "auto", None) == "script"
    with pytest.raises(SettingError, match="'sw': script knows no such language"):
        means_for(["sw"], "script", None)


def test_lingua_is_asked_for_where_scripts_do_not_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'sw'.* needs the package 'lingua-language-det"):
        means_for(["en", "sw"], "auto", None)


def test_lingua() -> None:
    pytest.importorskip("lingua")
    assert means_for(["en", "sw"], "auto", None) == "lingua"
    with pytest.raises(SettingError, match="'german': lingua knows no such language"):
        means_for(["german"], "auto", None)


@pytest.mark.slow
def test_lingua_finds_languages() -> None:
    pytest.importorskip("lingua")
    found = identifier("lingua", (), None)([*TEXTS.values(), *WORDS.values(), *UNKNOWNS])
    expected = [*TEXTS, *WORDS, "und", "und"]
    assert sum(one.language == each for one, each in zip(found, expected, strict=True)) >= 22


def test_a_model_of_languages(tmp_path: Path) -> None:
    model = tmp_path / "lid.bin"
    texts = ["the ship and the sea", "das schiff und die see"] * 20
    settings = {"dim": 8, "epochs": 20, "lr": 0.5, "workers": 1, "pre_tokenizer": "blanks"}
    FastTextClassifier(**settings, lowercase=False).fit(texts, ["en", "de"] * 20).save(model)
    found = identifier("model", ["de"], str(model))(["the\nship", "das schiff", ""])
    assert [each.language for each in found[:2]] == ["en", "de"]
    assert all(0.5 < each.confidence <= 1 for each in found[:2])
    with pytest.raises(SettingError, match=r"'fr': .*lid.bin knows no such language"):
        identifier("model", ["fr"], str(model))


def test_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"there is no such model .* lid.176.bin"):
        identifier("model", ["en"], str(tmp_path / "lid.bin"))
    (tmp_path / "bad.bin").write_bytes(b"no model")
    with pytest.raises(VectorFileError):
        identifier("model", ["en"], str(tmp_path / "bad.bin"))
