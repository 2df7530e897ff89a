"""Small random models of `transformers`, and a tokenizer for them; nothing of theirs may warn."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.corpus import Corpus
from foretext.tokenizers.frames import framed
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tests.networks import sentences, tokenizer_for

transformers = pytest.importorskip("transformers")


@pytest.fixture(autouse=True, scope="package")
def _without_network() -> Iterator[None]:
    """Keep the library off the network here; elsewhere its client asks our own server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        yield


V, D, LENGTH = 120, 32, 40
COMMON = {"vocab_size": V, "num_hidden_layers": 3, "num_attention_heads": 4}
WIDE = {**COMMON, "hidden_size": D, "intermediate_size": 48, "max_position_embeddings": LENGTH}
MODERN = {
    **WIDE,
    "layer_types": ["full_attention"] * 3,
    **dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id"), 0),
    **dict.fromkeys(("cls_token_id", "sep_token_id"), 0),
}
DEBERTA = {
    **WIDE,
    "relative_attention": True,
    "position_buckets": 8,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
}
ROBERTA = {**WIDE, "max_position_embeddings": LENGTH + 2, "type_vocab_size": 1}
DISTIL = {"n_layers": 3, "n_heads": 4, "dim": D, "hidden_dim": 48, "vocab_size": V}
GPT2 = {"vocab_size": V, "n_layer": 3, "n_head": 4, "n_embd": D, "n_positions": LENGTH}
FAMILIES = {  # their class, and settings of its config
    "bert": ("Bert", WIDE),
    "ernie": ("Ernie", WIDE),
    "roberta": ("Roberta", ROBERTA),
    "xlm-roberta": ("XLMRoberta", ROBERTA),
    "camembert": ("Camembert", ROBERTA),
    "albert": ("Albert", {**WIDE, "embedding_size": 12}),
    "electra": ("Electra", {**WIDE, "embedding_size": 12}),
    "distilbert": ("DistilBert", {**DISTIL, "max_position_embeddings": LENGTH}),
    "gpt2": ("GPT2", {**GPT2, "bos_token_id": 0, "eos_token_id": 0}),
    "modernbert": ("ModernBert", MODERN),
    "modernbert local": ("ModernBert", {**MODERN, "layer_types": None, "local_attention": 6}),
    "llama": ("Llama", WIDE),
    "deberta": ("DebertaV2", DEBERTA),
}
LIKE_ROBERTA = ("roberta", "xlm-roberta", "camembert")

MakeFolder = Callable[..., tuple[Path, Any]]


@pytest.fixture(scope="session")
def wordpiece(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    """With the special tokens of BERT."""
    return _learned("wordpiece", tmp_path_factory)


@pytest.fixture(scope="session")
def bpe(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    """With the special token of GPT."""
    return _learned("bpe", tmp_path_factory)


@pytest.fixture(scope="session")
def roberta_bpe(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    """With the special tokens of RoBERTa, two of which stand between two texts."""
    text = tmp_path_factory.mktemp("roberta") / "text.txt"
    text.write_text(sentences(200), encoding="utf-8")
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    learned = learn_subwords("bpe", {"vocab_size": 320, "special_tokens": special}, Corpus(text))
    return framed(learned, [0], [2, 2], [2], has_segments=False)


def _learned(kind: str, factory: pytest.TempPathFactory) -> SubwordTokenizer:
    text = factory.mktemp(kind) / "text.txt"
    text.write_text(sentences(200), encoding="utf-8")
    return tokenizer_for(kind, text)


@pytest.fixture(autouse=True)
def no_complaints(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever `transformers` logs as a warning is an error."""
    transformers.utils.logging.set_verbosity_warning()
    transformers.utils.logging.disable_progress_bar()
    logger = logging.getLogger("transformers")
    logger.addHandler(caplog.handler)
    yield
    logger.removeHandler(caplog.handler)
    complaints = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not [record.getMessage() for record in complaints if "transformers" in record.name]


@pytest.fixture
def make_folder(
    tmp_path: Path,
    wordpiece: SubwordTokenizer,
    bpe: SubwordTokenizer,
    roberta_bpe: SubwordTokenizer,
) -> MakeFolder:
    """Writes a folder of theirs; returns it with the model."""

    def make(family: str, head: str = "Model", **settings: object) -> tuple[Path, Any]:
        name, sizes = FAMILIES[family]
        frame = "bert" if "bert" in family or family in ("ernie", "electra") else "gpt"
        tokenizer = wordpiece if frame == "bert" else bpe
        if family in LIKE_ROBERTA:
            tokenizer = roberta_bpe
        config = getattr(transformers, f"{name}Config")(
            **{**sizes, "vocab_size": tokenizer.vocab_size, **settings}
        )
        torch.manual_seed(1)
        model = shaken(getattr(transformers, f"{name}{head}")(config))
        folder = tmp_path / family
        model.save_pretrained(folder)
        has_segments = "type_vocab_size" in config and config.type_vocab_size > 1
        save_hf_tokenizer(tokenizer, folder, LENGTH, frame, has_segments=has_segments)
        return folder, model

    return make


@torch.no_grad()
def shaken(model: Any) -> Any:
    """Move every weight, so that none is zero or one as it was initialised."""
    for weight in model.parameters():
        weight.add_(torch.randn(weight.shape) * 0.1)
    return model.eval()
