"""Languages by script and frequent words, by a model, and by lingua."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.classifiers.fasttext.classifier import FastTextClassifier
from foretext.cleaning import languages
from foretext.cleaning.languages import by_script, identifier, means_for
from foretext.errors import MissingExtraError, ModelFileError, SettingError, VectorFileError

TEXTS = {
    "en": "The ship lay in the harbour, and nobody knew whether it would ever leave.",
    "zh": "船停在港口里，没有人知道它会不会离开。",
    "ja": "船は港に停泊していて、いつ出るのか誰も知らなかった。",
    "ko": "배는 항구에 있었고 언제 떠날지 아무도 몰랐다.",
    "th": "เรืออยู่ในท่าเรือ และไม่มีใครรู้ว่าจะออกเมื่อใด",
    "el": "Το πλοίο ήταν στο λιμάνι και κανείς δεν ήξερε πότε θα φύγει.",
    "he": "האונייה עגנה בנמל ואיש לא ידע מתי תצא לדרך.",
}
OTHERS = [
    "Das Schiff lag im Hafen, und niemand wusste, ob es je wieder auslaufen würde.",
    "Le navire était au port, et personne ne savait s'il repartirait un jour.",
    "El barco estaba en el puerto y nadie sabía si volvería a salir algún día.",
    "Корабль стоял в гавани, и никто не знал, выйдет ли он в море.",
    "12 + 30 = 42",
    "",
]


def test_by_script() -> None:
    assert [each.language for each in by_script(list(TEXTS.values()))] == list(TEXTS)
    assert all(each.confidence > 0.9 for each in by_script(list(TEXTS.values())))
    assert {each.language for each in by_script(OTHERS)} == {"und"}


def test_what_finds_a_language() -> None:
    assert means_for(["en", "zh"], "auto", None) == "script"
    assert means_for([], "auto", None) == "script"
    assert means_for(["xx"], "auto", "lid.bin") == "model"
    with pytest.raises(SettingError, match="'fr': script knows no such language"):
        means_for(["fr"], "script", None)


def test_lingua_is_asked_for_where_scripts_do_not_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'fr'.* needs the package 'lingua-language-det"):
        means_for(["en", "fr"], "auto", None)


def test_lingua() -> None:
    pytest.importorskip("lingua")
    assert means_for(["en", "de"], "auto", None) == "lingua"
    with pytest.raises(SettingError, match="'german': lingua knows no such language"):
        means_for(["german"], "auto", None)


@pytest.mark.slow
def test_lingua_finds_languages() -> None:
    pytest.importorskip("lingua")
    found = identifier("lingua", (), None)([*TEXTS.values(), *OTHERS])
    assert [each.language for each in found] == [*TEXTS, "de", "fr", "es", "ru", "und", "und"]


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
