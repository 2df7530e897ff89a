"""Models of foretext, opened by `transformers`: nothing missing, nothing said, equal logits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open

from foretext.backbones.transformer import Transformer
from foretext.corpus import Corpus
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tests.interop.conftest import LENGTH, D, shaken, transformers
from tests.interop.test_theirs_here import CLOSE, some_inputs
from tests.networks import sentences
from tokenizers import processors

SHAPE = {"num_layers": 2, "dim": D, "num_heads": 4, "max_length": LENGTH}
PRE = {"num_segments": 0, "norm_position": "pre", "norm_eps": 1e-5}
SHAPES: dict[str, dict[str, Any]] = {
    "bert": {},
    "bert without segments": {"num_segments": 0},
    "bert of one segment": {"num_segments": 1},
    "bert without biases": {"bias": False},
    "bert with relu": {"activation": "relu", "feed_forward_dim": 40},
    "roberta": {"num_segments": 1},
    "roberta without segments": {"num_segments": 0, "norm_eps": 1e-5},
    "albert": {"embedding_dim": 12, "share_layers": True, "activation": "gelu_tanh"},
    "albert of one layer": {"embedding_dim": D, "num_layers": 1, "bias": False},
    "distilbert": {"num_segments": 0, "pooler_activation": "relu"},
    "gpt2": {**PRE, "embedding_norm": False, "activation": "gelu_tanh", "feed_forward_dim": 40},
    "gpt2 without biases": {**PRE, "embedding_norm": False, "bias": False},
    "gpt2 with relu": {**PRE, "embedding_norm": False, "activation": "relu"},
    "modernbert": {**PRE, "positions": "rotary", "first_norm": False, "activation": "geglu"},
    "modernbert without biases": {
        **PRE,
        "positions": "rotary",
        "rotary_base": 500.0,
        "first_norm": False,
        "activation": "swiglu",
        "bias": False,
    },
    "modernbert with local layers": {
        **PRE,
        "positions": "rotary",
        "global_every": 2,
        "local_window": 2,
        "local_rotary_base": 300.0,
        "first_norm": False,
        "activation": "geglu",
    },
    "llama": {
        **PRE,
        "positions": "rotary",
        "norm": "rms",
        "embedding_norm": False,
        "activation": "swiglu",
        "bias": False,
    },
    "llama with biases": {
        **PRE,
        "positions": "rotary",
        "rotary_base": 500.0,
        "norm": "rms",
        "embedding_norm": False,
        "activation": "geglu",
    },
}
MASKED = [name for name in SHAPES if "bert" in name]
CAUSAL = [name for name in SHAPES if "bert" not in name]


def backbone_of(name: str, tokenizer: SubwordTokenizer) -> Transformer:
    torch.manual_seed(0)
    config = Transformer.Config(**{**SHAPE, **SHAPES[name]})
    return shaken(Transformer(config, tokenizer.vocab_size))


def masked(name: str, tokenizer: SubwordTokenizer, **settings: Any) -> tuple[Transformer, MaskedLM]:
    backbone = backbone_of(name, tokenizer)
    body = backbone.config
    of_body = {"norm_eps": body.norm_eps}
    if not name.startswith("modernbert"):
        of_body["activation"] = body.activation
    config = MaskedLM.Config(**{**of_body, **settings})
    objective = MaskedLM(config, backbone, tokenizer).eval()
    shaken(objective.head)
    return backbone, objective


def causal(name: str, tokenizer: SubwordTokenizer, **settings: Any) -> tuple[Transformer, CausalLM]:
    backbone = backbone_of(name, tokenizer)
    return backbone, CausalLM(CausalLM.Config(**settings), backbone, tokenizer).eval()


def opened(auto: str, folder: Path) -> Any:
    """Open by `transformers`, which must find every weight and know each of them."""
    model, info = getattr(transformers, auto).from_pretrained(folder, output_loading_info=True)
    assert not any(info.values()), info
    return model.eval()


def assert_equal_logits(backbone: Any, objective: Any, model: Any) -> Any:
    is_causal = isinstance(objective, CausalLM)
    ours, theirs = some_inputs(
        backbone.vocab_size, segments=backbone.config.num_segments > 1, causal=is_causal
    )
    with torch.inference_mode():
        states = backbone(ours)
        answer = model(**theirs)
        logits = objective.head(states.last)[ours.token_mask]
    found = answer["prediction_logits" if "prediction_logits" in answer else "logits"]
    torch.testing.assert_close(logits, found[ours.token_mask], **CLOSE)
    return states, answer


def assert_same_again(folder: Path, backbone: Any, objective: Any) -> None:
    """What foretext reads back is what was saved: settings, and every weight."""
    loaded = load_hugging_face(folder)
    assert loaded.unused == ()
    pairs = [(backbone, loaded.backbone)]
    if objective is None:
        assert loaded.objective is None
    else:
        pairs.append((objective, loaded.objective))
    for before, after in pairs:
        assert after.config == before.config
        assert not after.training
        for (name, ours), (same, again) in zip(
            before.state_dict().items(), after.state_dict().items(), strict=True
        ):
            assert name == same
            assert torch.equal(ours, again), name


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", MASKED)
def test_masked(
    name: str,
    tied: bool,
    wordpiece: SubwordTokenizer,
    roberta_bpe: SubwordTokenizer,
    tmp_path: Path,
) -> None:
    tokenizer = roberta_bpe if "roberta" in name else wordpiece
    backbone, objective = masked(name, tokenizer, tied=tied, mask_rate=0.3)
    save_hugging_face(tmp_path, tokenizer, backbone, objective, {})
    if "albert" in name and not tied:  # output weights as wide as states are ours alone
        assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "foretext"
        assert_same_again(tmp_path, backbone, objective)
        return
    model = opened("AutoModelForMaskedLM", tmp_path)
    assert model.config.model_type == name.partition(" ")[0]
    assert_equal_logits(backbone, objective, model)
    assert_same_again(tmp_path, backbone, objective)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", CAUSAL)
def test_causal(name: str, tied: bool, bpe: SubwordTokenizer, tmp_path: Path) -> None:
    backbone, objective = causal(name, bpe, tied=tied, row_length=20)
    save_hugging_face(tmp_path, bpe, backbone, objective, {})
    model = opened("AutoModelForCausalLM", tmp_path)
    assert model.config.model_type == name.partition(" ")[0]
    assert_equal_logits(backbone, objective, model)
    assert_same_again(tmp_path, backbone, objective)


def test_pretraining_heads(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    backbone, objective = masked("bert", wordpiece, next_sentence=True)
    shaken(objective.next_sentence)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    states, answer = assert_equal_logits(
        backbone, objective, opened("BertForPreTraining", tmp_path)
    )
    with torch.inference_mode():
        pairs = objective.next_sentence(states.last).flip(-1)  # class 1 is the successor, theirs 0
    torch.testing.assert_close(pairs, answer.seq_relationship_logits, **CLOSE)
    assert_same_again(tmp_path, backbone, objective)


@pytest.mark.parametrize("name", ["bert", "modernbert", "modernbert without biases"])
def test_head_without_biases(name: str, wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """With those of the body or without, which `test_masked` does not have."""
    backbone, objective = masked(name, wordpiece, bias=False)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    assert_equal_logits(backbone, objective, opened("AutoModelForMaskedLM", tmp_path))
    assert_same_again(tmp_path, backbone, objective)


@pytest.mark.parametrize("name", ["bert", "gpt2", "modernbert", "llama"])
def test_body_alone(
    name: str, wordpiece: SubwordTokenizer, bpe: SubwordTokenizer, tmp_path: Path
) -> None:
    tokenizer = wordpiece if "bert" in name else bpe
    backbone = backbone_of(name, tokenizer)
    save_hugging_face(tmp_path, tokenizer, backbone, None, {})
    options = {"add_pooling_layer": False} if name == "bert" else {}
    model = transformers.AutoModel.from_pretrained(tmp_path, **options).eval()
    is_causal = "bert" not in name
    ours, theirs = some_inputs(backbone.vocab_size, segments=name == "bert", causal=is_causal)
    with torch.inference_mode():
        states, found = backbone(ours).last, model(**theirs).last_hidden_state
    torch.testing.assert_close(states[ours.token_mask], found[ours.token_mask], **CLOSE)
    assert_same_again(tmp_path, backbone, None)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_tokenizer(
    name: str, wordpiece: SubwordTokenizer, bpe: SubwordTokenizer, tmp_path: Path
) -> None:
    tokenizer = wordpiece if name == "bert" else bpe
    backbone, objective = (masked if name == "bert" else causal)(name, tokenizer)
    save_hugging_face(tmp_path, tokenizer, backbone, objective, {})
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    text = "every morning the dog barks again ."
    ids = tokenizer.encode(text)
    special = tokenizer.special
    framed = [special.cls, *ids, special.sep] if name == "bert" else ids
    assert theirs(text)["input_ids"] == framed
    assert theirs.model_max_length == LENGTH


def test_files(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    backbone, objective = masked("bert", wordpiece)
    save_hugging_face(tmp_path, wordpiece, backbone.to(torch.bfloat16), objective, {"steps": 3})
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["BertForMaskedLM"]
    assert config["pad_token_id"] == wordpiece.special.pad
    assert config["foretext"]["objective"]["name"] == "masked_lm"
    assert config["foretext"]["facts"] == {"steps": 3}
    assert load_hugging_face(tmp_path).facts == {"steps": 3}
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"}
        assert "cls.predictions.decoder.weight" not in file.keys()  # noqa: SIM118  not a dict
        assert {file.get_slice(name).get_dtype() for name in file.keys()} == {"F32"}  # noqa: SIM118


def test_saved_again_by_them(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """What they keep of a model of ours still has our settings, and their changes."""
    backbone, objective = masked("bert", wordpiece, mask_rate=0.3)
    save_hugging_face(tmp_path / "ours", wordpiece, backbone, objective, {})
    model = opened("AutoModelForMaskedLM", tmp_path / "ours")
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight[7] += 1
    model.save_pretrained(tmp_path / "theirs")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    tokenizer.save_pretrained(tmp_path / "theirs")
    again = load_hugging_face(tmp_path / "theirs")
    assert again.objective.config.mask_rate == 0.3
    assert torch.equal(again.backbone.embedding[7], backbone.embedding[7] + 1)
    assert again.tokenizer.encode("the dog") == wordpiece.encode("the dog")

    model.config.hidden_dropout_prob = 0.25
    model.save_pretrained(tmp_path / "theirs")
    assert load_hugging_face(tmp_path / "theirs").backbone.config.dropout == 0.25


def test_start_token_of_llama(tmp_path: Path) -> None:
    """What a tokenizer puts before a text goes with it."""
    text = tmp_path / "text.txt"
    text.write_text(sentences(50), encoding="utf-8")
    settings = {"vocab_size": 300, "special_tokens": ["<s>", "</s>"]}
    tokenizer = learn_subwords("bpe", settings, Corpus(text))
    ids = tokenizer.encode("the dog")
    start = tokenizer.library.token_to_id("<s>")
    tokenizer.library.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", start)]
    )
    backbone, objective = causal("llama", tokenizer)
    save_hugging_face(tmp_path / "ours", tokenizer, backbone, objective, {})
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    assert theirs("the dog")["input_ids"] == [start, *ids]
    again = load_hugging_face(tmp_path / "ours").tokenizer
    assert again.encode("the dog") == ids
    assert again.library.encode("").ids == [start]
