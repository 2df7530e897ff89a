"""Labels come back as they came: from Python and from files, by every classifier, kept or not."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError

TEXTS = ["a ship sails the sea", "the judge reads a law", "one cow eats the grass"] * 8
FAST = {"dim": 8, "epochs": 40, "bucket": 1000, "workers": 1, "lr": 0.5}
SETTINGS: dict[str, Any] = {
    "linear": {},
    "fasttext": {"classifier": FAST},
    "textcnn": {
        "backbone": {"vector_size": 8, "num_maps": 8, "widths": [1]},
        "training": {"epochs": 40, "learning_rate": 0.01},
        "finetuning": {"baseline": False},
    },
}
VALUES: dict[str, list[Any]] = {
    "text": ["sea", "court", "farm"],
    "whole numbers": [2, 10, 9],
    "booleans": [True, False, False],
    "decomposed": ["Cafe\u0301", "Tisch", "Ma\u0308dchen"],
}


def learned(base: str, rows: Any) -> Any:
    return ft.finetune("classification", base, rows, settings=SETTINGS[base], quiet=True)


@pytest.mark.parametrize("base", SETTINGS)
@pytest.mark.parametrize("kind", VALUES)
def test_labels_come_back_as_they_came(base: str, kind: str, tmp_path: Path) -> None:
    values = VALUES[kind] * 8
    model = learned(base, (TEXTS, values))
    model.save(tmp_path / "kept")
    for each in (model, ft.load(tmp_path / "kept")):
        assert each.classes_.tolist() == sorted(set(values))
        assert {type(value) for value in each.classes_.tolist()} == {type(values[0])}
        assert accuracy_score(values, each.predict(TEXTS)) == 1.0
        assert each.score(TEXTS, values) == 1.0
        best = np.asarray(each.predict_proba(TEXTS)).argmax(1)
        assert each.classes_[best].tolist() == values
        [(label, _)] = each.predict_top("a ship sails")
        assert (label, type(label)) == (values[0], type(values[0]))
        assert each.predict("a ship sails") == values[0]


@pytest.mark.parametrize("base", SETTINGS)
def test_numbers_in_json_are_answered_with_numbers(base: str, tmp_path: Path) -> None:
    rows = zip(TEXTS, [7, 10, 9] * 8, strict=True)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in rows))
    model = learned(base, path)
    assert model.classes_.tolist() == [7, 9, 10]
    [record] = model.predictions(["a ship sails"])
    assert json.loads(json.dumps(record))["labels"][0]["label"] == 7
    assert model.evaluate(path)["accuracy"] == 1.0
    named = tmp_path / "named.csv"
    named.write_text("text,label\na ship sails the sea,7\n")
    assert model.task.read(named)[0].labels == (
        "7",
    )  # the same label, which a table writes as text


@pytest.mark.parametrize("base", SETTINGS)
def test_both_unicode_forms_are_one_label_and_evaluated_alike(base: str, tmp_path: Path) -> None:
    forms = [unicodedata.normalize(form, "Caf\u00e9") for form in ("NFC", "NFD")]
    rows = [(text, forms[n % 2]) for n, text in enumerate(TEXTS[::3])]
    rows += [(text, "Bar") for text in TEXTS[1::3]]
    path = tmp_path / "forms.csv"
    path.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    model = learned(base, path)
    assert [unicodedata.normalize("NFC", label) for label in model.classes_] == ["Bar", "Caf\u00e9"]
    assert model.evaluate(path)["accuracy"] == 1.0
    assert model.evaluate([("a ship sails the sea", forms[1])])["accuracy"] == 1.0


@pytest.mark.parametrize("base", ["linear", "textcnn"])
def test_several_labels_a_text_come_back_as_they_came(base: str, tmp_path: Path) -> None:
    sets = [[1, 10], [2], [10]] * 8
    model = learned(base, list(zip(TEXTS, sets, strict=True)))
    model.save(tmp_path / "kept")
    again = ft.load(tmp_path / "kept")
    assert again.classes_.tolist() == [1, 2, 10]
    found = again.predict(TEXTS[:3])
    assert all(type(label) is int for labels in found for label in labels)
    if base == "linear":
        assert found.tolist() == [(1, 10), (2,), (10,)]
        assert again.score(TEXTS, sets) == 1.0


def test_pairs_have_labels_of_any_type(tmp_path: Path) -> None:
    same = [("a ship", "a ship", True), ("a cow", "a judge", False)] * 8
    settings = {"training": {"epochs": 3}, "backbone": {"vector_size": 8}}
    model = ft.finetune("matching", "textcnn", same, settings=settings, quiet=True)
    model.save(tmp_path / "kept")
    again: Any = ft.load(tmp_path / "kept")
    assert again.classes_.tolist() == [False, True]
    assert type(again.predict(("a ship", "a ship"))) is bool
    assert again.predict([("a ship", "a ship")]).tolist() == [again.predict(("a ship", "a ship"))]


def test_what_numpy_and_pandas_hold(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    numbers = np.array([2, 10, 9] * 8, np.int16)
    table = pandas.DataFrame({"text": TEXTS, "label": numbers})
    kinds = table.assign(label=pandas.Categorical(["b", "a", "c"] * 8))
    for model in (
        ft.LinearClassifier().fit(TEXTS, numbers),
        ft.LinearClassifier().fit(table["text"], table["label"]),
        learned("linear", table),
    ):
        assert (model.predict(TEXTS) == numbers).all()
    fitted = ft.LinearClassifier().fit(table["text"], kinds["label"])
    for model in (fitted, learned("linear", kinds)):
        assert accuracy_score(kinds["label"], model.predict(TEXTS)) == 1.0


@pytest.mark.parametrize("kind", ["text", "whole numbers", "booleans"])
def test_scores_of_scikit_learn_are_numbers(kind: str) -> None:
    classifier = ft.LinearClassifier()
    assert cross_val_score(classifier, TEXTS, VALUES[kind] * 8, cv=2).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_what_is_missing_is_named_by_its_row(missing: Any) -> None:
    for model in (ft.LinearClassifier(), ft.FastTextClassifier()):
        with pytest.raises(CorpusError, match=r"text 2 is (None|nan)"):
            model.fit(["a", missing, "c"], ["x", "y", "x"])
        with pytest.raises(CorpusError, match="row 3: the label is empty; label the row or remove"):
            model.fit(["a", "b", "c"], ["x", "y", missing])
    with pytest.raises(CorpusError, match="line 2: the label is empty"):
        learned("linear", (["a", "b", "c"], ["x", missing, "y"]))


def test_values_of_a_damaged_folder_are_refused(tmp_path: Path) -> None:
    learned("textcnn", (TEXTS, VALUES["whole numbers"] * 8)).save(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(path.read_text().replace('"label_values"', '"label_valves"'))
    with pytest.raises(ModelFileError, match="no task can be built"):
        ft.load(tmp_path)
    config = json.loads(path.read_text().replace('"label_valves"', '"label_values"'))
    config["foretext"]["found"]["label_values"][0] = 1
    path.write_text(json.dumps(config))
    with pytest.raises(ModelFileError, match="the values of its labels do not fit their names"):
        ft.load(tmp_path)


def test_settings_of_python_are_dicts_or_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("review,kind\n" + "a ship,sea\na cow,farm\n" * 5)
    columns = {"text": "review", "label": "kind"}
    model = ft.finetune("classification", "linear", path, rows=columns, quiet=True)
    assert model.predict("a ship") == "sea"
    for wrong in ([("training", 1)], "training.epochs=3", {"training": 3}, 7):
        with pytest.raises(ft.ForetextError, match="give a dict"):
            ft.finetune("classification", "linear", path, settings=wrong)  # type: ignore[arg-type]
    for other in (["text"], "text", 7):
        with pytest.raises(ft.ForetextError, match="give a"):
            ft.finetune("classification", "linear", path, rows=other)  # type: ignore[arg-type]
