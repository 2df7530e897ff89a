"""Folders of encoder-decoders of `transformers`, small and random, and how both sides answer."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from foretext.corpus import Corpus
from foretext.data.batch import Inputs
from foretext.generation import Decoding, decode
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.interop.loaded import Loaded
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tests.interop.conftest import D, shaken, transformers
from tests.networks import sentences

__all__ = [
    "BART",
    "MARIAN",
    "T5",
    "assert_equal_both_ways",
    "assert_equal_logits",
    "assert_equal_texts",
    "fairseq_bpe",
    "opened",
    "rows",
    "t5_unigram",
    "their_folder",
]

CLOSE = {"atol": 1e-4, "rtol": 1e-4}
NEW_TOKENS = 12
SEARCHES: list[dict[str, Any]] = [
    {},
    {"num_beams": 4},
    {"num_beams": 3, "length_penalty": 2.0, "no_repeat_ngram_size": 2, "early_stopping": True},
]
T5 = {
    "d_model": D,
    "d_kv": 6,
    "d_ff": 48,
    "num_layers": 3,
    "num_decoder_layers": 2,
    "num_heads": 4,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 12,
    "decoder_start_token_id": 0,
}
BART = {
    "d_model": D,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 40,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": 2,
}
MARIAN = {**BART, "bos_token_id": None, "decoder_start_token_id": 1}


@cache
def t5_unigram() -> SubwordTokenizer:
    """T5's kind of tokenizer, with eight sentinels."""
    special = ["<pad>", "</s>", "<unk>", "[UNK]"]
    return _learned("unigram", 100, special, num_sentinels=8)


@cache
def fairseq_bpe() -> SubwordTokenizer:
    """BART's kind of tokenizer."""
    return _learned("bpe", 320, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])


def _learned(kind: str, size: int, special: list[str], **settings: Any) -> SubwordTokenizer:
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text(sentences(200), encoding="utf-8")
        chosen = {"vocab_size": size, "special_tokens": special, **settings}
        return learn_subwords(kind, chosen, Corpus(text))


def their_folder(folder: Path, kind: str, head: str, **settings: Any) -> Any:
    """Write a folder of a kind of model, and return the model."""
    sizes = {"T5": T5, "MT5": T5, "Bart": BART, "Marian": MARIAN}[kind]
    tokenizer = t5_unigram() if sizes is T5 else fairseq_bpe()
    config = getattr(transformers, f"{kind}Config")(
        **{**sizes, "vocab_size": tokenizer.vocab_size, **settings}
    )
    torch.manual_seed(1)
    model = shaken(getattr(transformers, f"{kind}{head}")(config))
    for module in model.modules():
        if type(module).__name__ == "MarianSinusoidalPositionalEmbedding":
            module.weight.data.copy_(module.create_weight())
    model.save_pretrained(folder)
    frame = "roberta" if kind == "Bart" else "t5"
    save_hf_tokenizer(tokenizer, folder, 40, frame, has_segments=False)
    return model


def opened(name: str, folder: Path) -> Any:
    """Open by `transformers`, which must find every weight and know each of them."""
    model, info = getattr(transformers, name).from_pretrained(folder, output_loading_info=True)
    assert not any(info.values()), info
    return model.eval()


def rows(num_ids: int) -> tuple[Tensor, Tensor, Tensor]:
    """Sources with padding (3, 11), their token mask, and targets (3, 9)."""
    generator = torch.Generator().manual_seed(5)
    source = torch.randint(5, num_ids, (3, 11), generator=generator)
    mask = torch.arange(11) < torch.tensor([11, 7, 4])[:, None]
    return source, mask, torch.randint(5, num_ids, (3, 9), generator=generator)


@torch.inference_mode()
def assert_equal_logits(backbone: Any, objective: Any, theirs: Any, num_ids: int) -> None:
    """Teacher forcing from padded sources; of a model without a head, states."""
    source, mask, target = rows(num_ids)
    states = backbone(Inputs(target, visibility="causal", source=Inputs(source, mask))).last
    answer = theirs(input_ids=source, attention_mask=mask.long(), decoder_input_ids=target)
    torch.testing.assert_close(
        backbone.for_tasks(Inputs(source, mask)).last[mask],
        answer.encoder_last_hidden_state[mask],
        **CLOSE,
    )
    if "logits" in answer:
        torch.testing.assert_close(objective.head(states), answer.logits, **CLOSE)
    else:
        torch.testing.assert_close(states, answer.last_hidden_state, **CLOSE)


def assert_equal_texts(backbone: Any, objective: Any, theirs: Any, num_ids: int) -> None:
    """Greedy outputs and those of a beam; sources are given as ids, framed already."""
    source, mask, _ = rows(num_ids)
    reading = objective.reading(())
    readings = [
        reading._replace(source=tuple(row[kept].tolist()))
        for row, kept in zip(source, mask, strict=True)
    ]
    for search in SEARCHES:
        asked = {"max_new_tokens": NEW_TOKENS, **search}
        answers = theirs.generate(input_ids=source, attention_mask=mask.long(), **asked)
        parts = backbone, objective.head, readings, Decoding(**asked)
        outputs = decode(*parts, end=objective.end)
        for (best, *_), answer in zip(outputs, answers.tolist(), strict=True):
            text = answer[1 + (reading.first is not None) :]
            if objective.end in text:
                text = text[: text.index(objective.end)]
            assert best.ids == text


def assert_equal_both_ways(folder: Path, theirs: Any, name: str) -> Loaded:
    """Their folder opened here, and what is saved of it there again."""
    loaded = load_hugging_face(folder)
    num_ids = loaded.tokenizer.vocab_size
    assert_equal_logits(loaded.backbone, loaded.objective, theirs, num_ids)
    written = folder / "again"
    save_hugging_face(
        written,
        loaded.tokenizer,
        loaded.backbone,
        loaded.objective,
        {},
        decoding=loaded.decoding,
    )
    again = opened(name, written)
    assert_equal_logits(loaded.backbone, loaded.objective, again, num_ids)
    if name.endswith(("Generation", "MTModel")):
        assert_equal_texts(loaded.backbone, loaded.objective, theirs, num_ids)
        assert_equal_texts(loaded.backbone, loaded.objective, again, num_ids)
    same = load_hugging_face(written)
    assert same.backbone.config == loaded.backbone.config
    assert same.decoding == loaded.decoding
    assert same.unused == ()
    for name, weight in loaded.backbone.state_dict().items():
        assert torch.equal(weight, same.backbone.state_dict()[name]), name
    if loaded.objective is not None:
        assert same.objective.config == loaded.objective.config
        assert same.objective.reading(()) == loaded.objective.reading(())
        assert same.objective.end == loaded.objective.end
    return loaded
