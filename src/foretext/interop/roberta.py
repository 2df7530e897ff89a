"""RoBERTa (Liu et al. 2019) and what is built like it, as `transformers` stores them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.bert import Bert
from foretext.interop.family import Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Heads, Row, affine
from foretext.tokenizers.base import Tokenizer

__all__ = ["Roberta"]

PAD = 1  # id of padding where config.json does not say it


def _task_heads(name: str) -> tuple[TaskHead, ...]:
    """Return the heads of classes that begin with a name."""
    return (
        TaskHead(
            f"{name}ForSequenceClassification",
            OF_TEXTS,
            (
                *affine("head.pooler", "classifier.dense"),
                *affine("classifier", "classifier.out_proj"),
            ),
            pooling="cls",
            dropout="classifier_dropout",
        ),
        TaskHead(
            f"{name}ForTokenClassification",
            ("tagging",),
            affine("classifier", "classifier"),
            dropout="classifier_dropout",
        ),
        TaskHead(f"{name}ForQuestionAnswering", ("span_qa",), affine("span", "qa_outputs")),
        *similarities(f"{name}Model"),
    )


class Roberta(Bert):
    """The layers of BERT with one kind of segment; two separators stand between two texts.

    The positions of a row begin behind the id of padding, so that the vectors up to there are used
    by no row, and `max_position_embeddings` counts them. XLM-RoBERTa (Conneau et al. 2020) and
    CamemBERT (Martin et al. 2020) are RoBERTa under other names.

    Args:
        model_type: its name there.
        begin: what the names of its classes begin with.
    """

    special_ids: ClassVar = {"pad_token_id": "pad", "bos_token_id": "cls", "eos_token_id": "sep"}
    required: ClassVar = {**Bert.required, "type_vocab_size": 1}

    prefix = "roberta."
    head_rows = (
        *affine("head.transform.dense", "lm_head.dense"),
        *affine("head.transform.norm", "lm_head.layer_norm"),
        Row("head.bias", ("lm_head.bias",)),
    )
    pair_head_rows = ()
    decoder = "lm_head.decoder.weight"
    decoder_twin = ("lm_head.bias", "lm_head.decoder.bias")
    head_marks = frozenset({"lm_head.dense.weight"})
    unused = r"(roberta\.)?(embeddings\.(position_ids|token_type_ids)|pooler\.dense\.\w+)" + (
        r"|(classifier|qa_outputs)\..+"
    )

    def __init__(self, model_type: str = "roberta", begin: str = "Roberta") -> None:
        self.model_type, self.backbone_class = model_type, f"{begin}Model"
        self.task_heads = _task_heads(begin)

    def suits(self, tokenizer: Tokenizer) -> bool:
        """Whether two texts are separated as RoBERTa's are, and padding tells where rows begin."""
        return len(tokenizer.between) == 2 and tokenizer.special.pad is not None

    def allows(self, config: TransformerConfig) -> bool:
        """Whether a model of this family can have these settings of our backbone."""
        return super().allows(config) and config.num_segments <= 1

    def further_settings(self, theirs: Settings) -> Settings:
        """Return one segment."""
        return {"num_segments": 1}

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return one segment, with a vector of zeros where our model has none."""
        return {"type_vocab_size": 1}

    def our_value(self, theirs: Settings, ours: str) -> Any:
        """Return the value of a setting of our backbone that has a key; positions that rows have.

        Raises:
            ValueError: with half a sentence, theirs is of a kind that foretext does not have.
        """
        value = super().our_value(theirs, ours)
        return value - _first_position(theirs) if ours == "max_length" else value

    def their_value(self, config: TransformerConfig, ours: str) -> Any:
        """Return the value of their key; positions as with the usual id of padding."""
        value = super().their_value(config, ours)
        return value + PAD + 1 if ours == "max_length" else value

    def tokenizer_keys(self, config: TransformerConfig, tokenizer: Tokenizer) -> Settings:
        """Return ids of special tokens, and the positions that follow from padding's."""
        num_positions = config.max_length + tokenizer.special.required("pad") + 1
        ids = super().tokenizer_keys(config, tokenizer)
        return {**ids, "max_position_embeddings": num_positions}

    def rows(
        self, config: TransformerConfig, prefix: str, heads: Heads, theirs: Settings | None = None
    ) -> Iterator[Row]:
        """Return the rows of one model, with full names."""
        first = _first_position(theirs or {})
        for row in super().rows(config, prefix, heads, theirs):
            is_positions = row.ours == "backbone.embeddings.positions.weight"
            yield row._replace(num_unused=first) if is_positions else row

    def head_settings(self, theirs: Settings) -> Settings:
        """Return the norm, which is that of the backbone; the activation is always the same."""
        return {"activation": "gelu", "norm_eps": theirs.get("layer_norm_eps", 1e-12)}

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return no keys; None where their head is another one."""
        ours = (head.next_sentence, head.norm, head.activation, head.norm_eps)
        return {} if ours == (False, "layer", "gelu", config.norm_eps) else None


def _first_position(theirs: Settings) -> int:
    """Return the position of the first token of a row.

    Raises:
        ValueError: with half a sentence, the id of padding says nothing.
    """
    pad = theirs.get("pad_token_id", PAD)
    if not isinstance(pad, int) or pad < 0:
        raise ValueError(f"pad_token_id = {pad!r} is no id, and positions begin behind it")
    return pad + 1
