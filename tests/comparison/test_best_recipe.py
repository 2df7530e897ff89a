from __future__ import annotations

from pathlib import Path

import foretext as ft
from foretext.base.errors import SettingError
from foretext.base.parsing import read_toml
from foretext.comparison.best_recipe import name_given_rows
from foretext.comparison.request import CompareRequest
from foretext.comparison.rows import read_rows
from foretext.tasks.classification.linear import LinearClassifier


def test_the_best_model_reads_the_files_of_the_user(tmp_path: Path) -> None:
    table = tmp_path / "train.csv"
    lines = [f"{'good' if n % 2 else 'bad'} thing {n},{n % 2}\n" for n in range(40)]
    table.write_text("review,stars\n" + "".join(lines))
    columns = {"text": "review", "label": "stars"}
    rows = read_rows("classification", {"train": table}, columns)
    files = rows.write(tmp_path / "rows")
    run = tmp_path / "run"
    ft.finetune(
        "classification",
        "linear",
        files["train"],
        run,
        valid=files["valid"],
        settings={"rows": rows.settings},
        quiet=True,
    )
    request = CompareRequest(
        task="classification", train=str(table), budget_seconds=9.0, rows=columns
    )
    name_given_rows(run, request)
    recipe = read_toml(run / "recipe.toml", SettingError)
    assert recipe["run"]["train"] == str(table)
    assert "valid" not in recipe["run"]
    assert (recipe["rows"]["text"], recipe["rows"]["label"]) == ("review", "stars")
    model = ft.load(run, LinearClassifier)
    assert model.evaluate(table)["accuracy"] > 0.9
    (first, *_) = model.inputs(table)
    assert first.texts == ("bad thing 0",)
