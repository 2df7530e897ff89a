"""Folders of `sentence-transformers`: the model in them, and how it pools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from foretext.base.errors import ModelFileError
from foretext.interop.hugging_face import load_hugging_face
from foretext.language_model import LanguageModel
from tests.interop.conftest import D, MakeFolder

TYPES = "sentence_transformers.models."
ACTIVATIONS = ["Identity", "Tanh", "ReLU", "GELU", "Sigmoid", "SiLU"]
TEXTS = ["the dog barks in the morning .", "every cat", "a hen that clucks is a happy hen ."]


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
    make_modules(folder, {"pooling_mode": "mean"}, "CNN")
    with pytest.raises(ModelFileError, match=r"modules.json: a module of type CNN is not supp"):
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


def encoder_with_layers(folder: Path, out: Path, *layers: Any, normalize: bool = True) -> Any:
    """A sentence encoder of the library, whose vectors go through layers; saved at `out`."""
    library = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    parts = [modules.Transformer(str(folder)), modules.Pooling(D, "mean"), *layers]
    parts += [modules.Normalize()] * normalize
    encoder = library.SentenceTransformer(modules=parts, device="cpu")
    encoder.save(str(out))
    return encoder


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("normalize", [True, False])
def test_layers_behind_pooling(
    make_folder: MakeFolder, tmp_path: Path, activation: str, normalize: bool
) -> None:
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    torch.manual_seed(3)
    layers = [
        modules.Dense(D, 10, activation_function=getattr(torch.nn, activation)()),
        modules.Dense(10, 7, bias=False, activation_function=torch.nn.Tanh()),
    ]
    folder, _ = make_folder("roberta")
    theirs = encoder_with_layers(folder, tmp_path / "st", *layers, normalize=normalize)
    model = LanguageModel.load(tmp_path / "st", device="cpu", precision="fp32")
    expected = theirs.encode(TEXTS, show_progress_bar=False)
    assert model.vector_size == 7
    np.testing.assert_allclose(model.embed(TEXTS), expected, atol=1e-5)
    assert model.embed(TEXTS, "cls").shape == (3, D)  # the layers follow the folder's pooling
    assert not model.embed([""]).any()

    model.save(tmp_path / "again")  # and back
    library = pytest.importorskip("sentence_transformers")
    again = library.SentenceTransformer(str(tmp_path / "again"), device="cpu")
    np.testing.assert_allclose(again.encode(TEXTS, show_progress_bar=False), expected, atol=1e-5)
    reloaded = LanguageModel.load(tmp_path / "again", device="cpu", precision="fp32")
    np.testing.assert_array_equal(reloaded.embed(TEXTS), model.embed(TEXTS))


def make_dense(folder: Path, **changes: Any) -> Path:
    """A folder of today's names with one layer; returns the layer's folder."""
    make_modules(folder, {"pooling_mode_mean_tokens": True}, "Dense", "Normalize")
    place = folder / "2_Dense"
    place.mkdir(exist_ok=True)
    activation = "torch.nn.modules.activation.Tanh"
    config = {"in_features": D, "out_features": 5, "bias": True, "activation_function": activation}
    (place / "config.json").write_text(json.dumps(config | changes))
    weights = {"linear.weight": torch.ones(5, D), "linear.bias": torch.ones(5)}
    save_file(weights, place / "model.safetensors")
    return place


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"activation_function": "os.system"}, "activation_function = 'os.system' is not suppo"),
        ({"activation_function": "my.Tanh"}, "only those of torch.nn are: Identity, Tanh, ReLU, "),
        ({"activation_function": "torch.nn.Softmax"}, "'torch.nn.Softmax' is not supported"),
        ({"use_residual": True}, "use_residual = true is not supported"),
        ({"module_input_name": "token_embeddings"}, "module_input_name = 'token_embeddings' is"),
        ({"out_features": 6}, r"'linear.weight' has the shape \(5, 32\), but .+ needs \(6, 32\)"),
        ({"in_features": "32"}, "'in_features' = '32' should be"),
    ],
)
def test_layers_that_are_refused(
    make_folder: MakeFolder, changes: dict[str, Any], sentence: str
) -> None:
    folder, _ = make_folder("bert")
    make_dense(folder, **changes)
    with pytest.raises(ModelFileError, match=sentence):
        load_hugging_face(folder)


def test_layers_of_another_model(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert")
    place = make_dense(folder, in_features=8)
    weights = {"linear.weight": torch.ones(5, 8), "linear.bias": torch.ones(5)}
    save_file(weights, place / "model.safetensors")
    with pytest.raises(ModelFileError, match="reads vectors of 8 numbers, and gets 32"):
        load_hugging_face(folder)
    (place / "model.safetensors").rename(place / "pytorch_model.bin")
    with pytest.raises(ModelFileError, match=r"is a pickle.+SentenceTransformer\('.+'\)\.save\("):
        load_hugging_face(folder)


def test_modules_in_another_order(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert")
    make_modules(folder, {"pooling_mode_mean_tokens": True}, "Normalize", "Dense")
    with pytest.raises(ModelFileError, match="Pooling, Normalize, Dense in this order are not su"):
        load_hugging_face(folder)
    make_modules(folder, {"pooling_mode_mean_tokens": True}, "Dropout", "Normalize")
    assert load_hugging_face(folder).normalize  # dropout is for training only


def test_what_would_change_vectors_is_refused(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert")
    make_modules(folder, {"pooling_mode_mean_tokens": True})
    further = folder / "config_sentence_transformers.json"
    prompts = {"query": "query: ", "document": ""}
    for prompt, is_refused in ((None, False), ("document", False), ("query", True)):
        further.write_text(json.dumps({"prompts": prompts, "default_prompt_name": prompt}))
        if not is_refused:
            load_hugging_face(folder)
            continue
        with pytest.raises(ModelFileError, match="default_prompt_name = 'query' is not supported"):
            load_hugging_face(folder)
    further.write_text('{"truncate_dim": 8}')
    with pytest.raises(ModelFileError, match="truncate_dim is not supported"):
        load_hugging_face(folder)


def test_prompts_are_kept_by_name(make_folder: MakeFolder, tmp_path: Path) -> None:
    folder, _ = make_folder("bert")
    make_modules(folder, {"pooling_mode": "mean"})
    further = {"prompts": {"query": "query: "}, "default_prompt_name": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(further))
    model = LanguageModel.load(folder)
    assert model.prompts == {"query": "query: "}
    model.save(tmp_path / "saved")
    again = LanguageModel.load(tmp_path / "saved")
    assert again.prompts == {"query": "query: "}
    np.testing.assert_array_equal(again.embed(TEXTS), model.embed(TEXTS))
