"""Folders of `sentence-transformers`: the model in them, and how it pools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.errors import ModelFileError
from foretext.interop.hugging_face import load_hugging_face
from tests.interop.conftest import D, MakeFolder

TYPES = "sentence_transformers.models."


def make_modules(folder: Path, pooling: dict[str, Any], *more: str, path: str = "") -> None:
    kinds = ("Transformer", "Pooling", *more)
    modules = [
        {"idx": i, "name": str(i), "path": path if i == 0 else f"{i}_{kind}", "type": TYPES + kind}
        for i, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))


def test_as_they_write_it(make_folder: MakeFolder, tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    folder, _ = make_folder("bert")
    body = modules.Transformer(str(folder))
    body.max_seq_length = 16
    parts = [body, modules.Pooling(D, "cls"), modules.Normalize()]
    library.SentenceTransformer(modules=parts).save(str(tmp_path / "st"))
    loaded = load_hugging_face(tmp_path / "st")
    assert (loaded.pooling, loaded.normalize, loaded.text_length) == ("cls", True, 16)
    assert loaded.objective is None


@pytest.mark.parametrize("mode", ["mean", "max"])
def test_as_they_wrote_it(make_folder: MakeFolder, mode: str) -> None:
    folder, _ = make_folder("bert")
    make_modules(folder, {"pooling_mode_cls_token": False, f"pooling_mode_{mode}_tokens": True})
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 12}')
    loaded = load_hugging_face(folder)
    assert (loaded.pooling, loaded.normalize, loaded.text_length) == (mode, False, 12)


def test_model_in_a_folder_of_its_own(make_folder: MakeFolder, tmp_path: Path) -> None:
    folder, _ = make_folder("bert")
    outer = tmp_path / "outer"
    outer.mkdir()
    folder.rename(outer / "0_Transformer")
    make_modules(outer, {"pooling_mode": "mean"}, path="0_Transformer")
    assert load_hugging_face(outer).pooling == "mean"


def test_as_it_was_before_there_was_one_class_for_all(
    make_folder: MakeFolder, tmp_path: Path
) -> None:
    """A folder a module, lengths in the tokenizer's file, and that by its older name."""
    folder, _ = make_folder("bert")
    outer = tmp_path / "outer"
    outer.mkdir()
    folder.rename(outer / "0_BERT")
    make_modules(outer, {"pooling_mode_max_tokens": False, "pooling_mode_mean_tokens": True})
    modules = json.loads((outer / "modules.json").read_text())
    modules[0] |= {"type": f"{TYPES}BERT", "path": "0_BERT"}
    (outer / "modules.json").write_text(json.dumps(modules))
    (outer / "0_BERT" / "sentence_bert_config.json").write_text('{"do_lower_case": false}')
    (outer / "0_BERT" / "tokenizer_config.json").write_text('{"max_len": 20}')
    loaded = load_hugging_face(outer)
    assert (loaded.pooling, loaded.text_length) == ("mean", 20)


def test_what_is_not_supported(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert")
    make_modules(folder, {"pooling_mode": "mean"}, "Dense")
    with pytest.raises(ModelFileError, match=r"modules.json: a module of type Dense is not supp"):
        load_hugging_face(folder)
    make_modules(folder, {"pooling_mode": ["mean", "max"]})
    with pytest.raises(ModelFileError, match=r"1_Pooling/config.json: pooling by 'mean' and 'max'"):
        load_hugging_face(folder)
    make_modules(folder, {"pooling_mode_lasttoken": True})
    with pytest.raises(ModelFileError, match=r"pooling by 'lasttoken' is not supported, only one"):
        load_hugging_face(folder)
    make_modules(folder, {"pooling_mode": "mean"})
    (folder / "sentence_bert_config.json").write_text('{"do_lower_case": true}')
    with pytest.raises(ModelFileError, match=r"sentence_bert_config.json: do_lower_case is not"):
        load_hugging_face(folder)
    for outside in ("/etc", "../elsewhere", "a/../../elsewhere", "C:\\\\elsewhere"):
        module = {"type": "sentence_transformers.models.Transformer", "path": outside}
        (folder / "modules.json").write_text(json.dumps([module]))
        with pytest.raises(ModelFileError, match=r"modules.json names .+ outside its folder"):
            load_hugging_face(folder)
    (folder / "modules.json").write_text("{}")
    with pytest.raises(ModelFileError, match=r"modules.json is damaged: should be a valid array"):
        load_hugging_face(folder)
    (folder / "modules.json").write_text("[]")
    with pytest.raises(ModelFileError, match=r"modules.json names no Transformer"):
        load_hugging_face(folder)
