"""`foretext.export`: what is refused before any work, what is written, what is compared."""

from __future__ import annotations

import json
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import (
    ForetextError,
    MissingExtraError,
    ModelFileError,
    OutputError,
    SettingError,
)
from foretext.cli import export as cli
from foretext.exporting import EXPORTS
from foretext.exporting.export import BLOCK, MOST_NUMBERS, blocks, export
from foretext.exporting.session import Session
from foretext.exporting.static import StaticExport
from foretext.kinds import KINDS, TASK
from tests.exporting.models import saved_model
from tests.lazy_import import lazy_import

model2vec = lazy_import("model2vec")
onnxruntime = lazy_import("onnxruntime")
tokenizers = lazy_import("tokenizers")

SHIP = "a ship sails to the island"


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_model("static", tmp_path_factory.mktemp("static"))


@pytest.fixture(scope="module")
def exported(static: Path) -> Path:
    target = static.parent / "exported"
    export(static, target, "static", texts=[SHIP, "the king"])
    return target


def test_every_kind_names_formats_that_there_are() -> None:
    named = {each for kind in (*KINDS.values(), TASK) for each in kind.exports}
    assert named == {*EXPORTS}


def test_the_command_knows_every_format() -> None:
    hint = typing.get_type_hints(cli.export)["to"]
    names, _ = typing.get_args(hint)  # and None, where none is given
    assert typing.get_args(names) == (*EXPORTS,)


def test_static_vectors_in_onnx_runtime(static: Path, exported: Path) -> None:
    session = onnxruntime.InferenceSession(str(exported / "onnx/model.onnx"))
    tokenizer = tokenizers.Tokenizer.from_file(str(exported / "tokenizer.json"))
    ids = np.array([tokenizer.encode(SHIP).ids])
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    (vectors,) = session.run(["sentence_embedding"], feeds)
    assert np.allclose(vectors[0], ft.load(static).embed(SHIP), atol=1e-6)


def test_static_vectors_in_model2vec(static: Path, exported: Path) -> None:
    theirs = model2vec.StaticModel.from_pretrained(str(exported)).encode([SHIP])
    assert np.allclose(theirs[0], ft.load(static).embed(SHIP), atol=1e-6)


def test_figures_are_kept(exported: Path) -> None:
    record = json.loads((exported / "export.json").read_text())
    assert record["parity"]["texts"] == record["parity"]["ids_equal"] > 10
    assert record["parity"]["largest_difference"] < 1e-4
    assert record["parity"]["smallest_cosine"] > 0.9999
    card = (exported / "README.md").read_text()
    assert f"Compared with the original on {record['parity']['texts']} texts" in card


def test_a_copy_that_differs_is_not_kept(
    static: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Session.outputs

    def wrong(self: Session, *arguments: Any) -> Any:
        return {
            name: [each + 0.01 for each in rows] for name, rows in right(self, *arguments).items()
        }

    monkeypatch.setattr(Session, "outputs", wrong)
    with pytest.raises(
        ModelFileError, match=r"differs from the original by 0\.01.* nothing is kept"
    ):
        export(static, tmp_path / "copy", "static")
    assert not [*tmp_path.iterdir()]


def test_other_ids_are_an_error(
    static: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = StaticExport.theirs

    def wrong(self: StaticExport, folder: Path, rows: Any) -> Any:
        found = right(self, folder, rows)
        ids = zip(found.ids, rows, strict=True)
        return found._replace(ids=[[*own, 7] if row == (SHIP,) else own for own, row in ids])

    monkeypatch.setattr(StaticExport, "theirs", wrong)
    with pytest.raises(ModelFileError, match=rf"other ids than foretext for 1 text .*'{SHIP}'"):
        export(static, tmp_path / "copy", "static", texts=[SHIP])
    assert not [*tmp_path.iterdir()]


def test_an_old_folder_stays_or_is_replaced(static: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    target.mkdir()
    (target / "old").touch()
    with pytest.raises(ForetextError, match="exists"):
        export(static, target, "static")
    export(static, target, "static", overwrite=True)
    assert not (target / "old").exists()
    assert (target / "onnx" / "model.onnx").is_file()


@pytest.mark.parametrize("output", ["", "copy", ".."])
def test_the_model_itself_is_never_replaced(static: Path, output: str) -> None:
    with pytest.raises(OutputError, match="the export would replace the model; choose"):
        export(static, static / output, "static", overwrite=True)
    assert ft.load(static).embed(SHIP).any()


def test_a_missing_package_is_named(
    static: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StaticExport, "packages", {"no_such_module": "no-such-package"})
    with pytest.raises(MissingExtraError, match=r"'no-such-package'.*foretext\[export\]"):
        export(static, tmp_path / "copy", "static")


REFUSED = {
    "static onnx": ("static", "onnx", "export it to static, not onnx"),
    "encoder static": ("encoder", "static", "export it to onnx or .*, not static"),
    "elmo": ("elmo", "onnx", "the backbone Elmo, which cannot be exported"),
    "jieba": ("jieba classifier", "onnx", "reads jieba's words, and the tokenizers library has no"),
    "long texts": ("long texts", "onnx-int8", "reads the end of long texts"),
    "format": ("encoder", "onyx", "no export to 'onyx'. Did you mean 'onnx'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_exported_is_refused(case: str, tmp_path: Path) -> None:
    name, to, sentence = REFUSED[case]
    model = saved_model(name, tmp_path)
    with pytest.raises(SettingError, match=sentence):
        export(model, tmp_path / "copy", to)
    assert not (tmp_path / "copy").exists()


def test_runs_without_a_format(tmp_path: Path) -> None:
    classifier = ft.LinearClassifier().fit(["a ship", "a field"] * 4, ["sea", "land"] * 4)
    classifier.save(tmp_path / "linear")
    with pytest.raises(SettingError, match="'linear classifier', which cannot be exported"):
        export(tmp_path / "linear", tmp_path / "copy", "onnx")


def test_the_table_imports_nothing_heavy() -> None:
    code = "import foretext.exporting, sys; print({'torch', 'onnx', 'openvino'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_function_is_no_module() -> None:
    code = "import foretext.exporting.export, foretext as ft; print(callable(ft.export))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_blocks_hold_inputs_of_like_size() -> None:
    sizes = [5, 1, MOST_NUMBERS, 3, 4 * MOST_NUMBERS, *[MOST_NUMBERS // 3] * 7, *[2] * 200]
    found = [*blocks(sizes)]
    assert sorted(place for block in found for place in block) == [*range(len(sizes))]
    assert [sizes[block[0]] for block in found[:3]] == [1, 2, 4 * MOST_NUMBERS]
    assert [len(block) for block in found[:3]] == [1, 1, 1]
    assert max(map(len, found)) == BLOCK
    for block in found[3:]:
        assert len(block) == 1 or max(sizes[place] for place in block) * len(block) <= MOST_NUMBERS
    assert [*blocks([7])] == [[0]]
