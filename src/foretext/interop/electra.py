"""ELECTRA (Clark et al. 2020) as `transformers` stores it: the discriminator, and the generator."""

from __future__ import annotations

from typing import Any, ClassVar

from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.bert import Bert
from foretext.interop.family import Family, Key, Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Heads, Row, affine
from foretext.objectives.base import Objective
from foretext.objectives.electra import Electra as ReplacedTokens

__all__ = ["GENERATOR", "Electra", "ElectraGenerator"]

GENERATOR_CLASS = "ElectraForMaskedLM"


class Electra(Bert):
    """BERT's layers, whose embeddings may be narrower, and a head that finds replaced tokens.

    Their class has no generator: a folder of ours keeps its weights in a file beside.
    """

    model_type = "electra"
    backbone_class = "ElectraModel"
    objective: ClassVar[type[Objective]] = ReplacedTokens
    others: ClassVar[tuple[type[Objective], ...]] = ()

    fixed: ClassVar = {
        **{name: value for name, value in Bert.fixed.items() if name != "embedding_dim"},
        "pooler_activation": "gelu",
    }
    keys: ClassVar = {
        **Bert.keys,
        "embedding_dim": Key("embedding_size", 128, said_by="embedding_width", unlike="dim"),
        "dim": Key("hidden_size", 256),
        "num_heads": Key("num_attention_heads", 4),
        "feed_forward_dim": Key("intermediate_size", 1024, said_by="hidden_dim"),
    }

    prefix = "electra."
    backbone_rows = (
        *Bert.backbone_rows,
        *(
            row._replace(only_with="embedding_dim")
            for row in affine("embeddings.projection", "embeddings_project")
        ),
    )
    head_rows = (
        *affine("replaced.dense", "discriminator_predictions.dense"),
        *affine("replaced.output", "discriminator_predictions.dense_prediction"),
    )
    pair_head_rows = ()
    task_heads = (
        TaskHead(
            "ElectraForSequenceClassification",
            OF_TEXTS,
            (
                *affine("head.pooler", "classifier.dense"),
                *affine("classifier", "classifier.out_proj"),
            ),
            pooling="cls",
            dropout="classifier_dropout",
        ),
        TaskHead(
            "ElectraForTokenClassification",
            ("tagging",),
            affine("classifier", "classifier"),
            dropout="classifier_dropout",
        ),
        TaskHead("ElectraForQuestionAnswering", ("span_qa",), affine("span", "qa_outputs")),
        *similarities("ElectraModel"),
    )
    decoder = "generator_lm_head.weight"
    decoder_twin = None
    head_marks = frozenset({"discriminator_predictions.dense.weight"})
    unused = r"(electra\.)?embeddings\.(position_ids|token_type_ids)|" + (
        r"(discriminator_predictions|generator_predictions|generator_lm_head)\..+|"
        r"(sequence_summary|classifier|qa_outputs)\..+"
    )

    @property
    def variants(self) -> tuple[Family, ...]:
        """The discriminator's family and the generator's."""
        return self, GENERATOR

    def variant(self, theirs: Settings) -> Family:
        """Return the generator's family where a folder names its class."""
        return GENERATOR if GENERATOR_CLASS in (theirs.get("architectures") or ()) else self

    def allows(self, config: TransformerConfig) -> bool:
        """Whether there is a map behind the embeddings only where they are narrower or wider."""
        return super().allows(config) and config.embedding_dim != config.dim

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "ElectraForPreTraining"

    def heads(self, head: Any) -> Heads:
        """Return the head; the generator is apart."""
        return Heads(head=True, pair_head=False, tied=True, apart=head.generator_rate > 0)

    def head_settings(self, theirs: Settings) -> Settings:
        """Return the settings of a discriminator without its generator."""
        activation = self.activation(theirs, self.keys["activation"])
        return {"generator_rate": 0.0, "detector_activation": activation}

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return no keys; None where the head's activation is not the backbone's."""
        return {} if head.detector_activation == config.activation else None


class ElectraGenerator(Bert):
    """The generator, which is a masked language model; its head ends in the embeddings' width."""

    model_type = Electra.model_type
    backbone_class = Electra.backbone_class
    others: ClassVar[tuple[type[Objective], ...]] = ()

    fixed: ClassVar = Electra.fixed
    keys: ClassVar = Electra.keys

    prefix = Electra.prefix
    backbone_rows = Electra.backbone_rows
    head_rows = (
        *affine("head.transform.dense", "generator_predictions.dense"),
        *affine("head.transform.norm", "generator_predictions.LayerNorm"),
        Row("head.bias", ("generator_lm_head.bias",)),
    )
    pair_head_rows = ()
    task_heads = ()  # those of the discriminator read both
    decoder = Electra.decoder
    decoder_twin = None
    head_marks = frozenset({"generator_predictions.dense.weight"})
    unused = Electra.unused

    def allows(self, config: TransformerConfig) -> bool:
        """Whether there is a map behind the embeddings only where they are narrower or wider."""
        return super().allows(config) and config.embedding_dim != config.dim

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return GENERATOR_CLASS

    def heads(self, head: Any) -> Heads:
        """Return the head of a masked language model."""
        return Heads(head=True, pair_head=False, tied=head.tied)

    def head_settings(self, theirs: Settings) -> Settings:
        """Return activation and norm; the activation is the same in all of their models."""
        return {"activation": "gelu", "norm_eps": theirs.get("layer_norm_eps", 1e-12)}

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return no keys; None where their head is another one."""
        # Output weights of their own are as wide as embeddings there, and as states here.
        same_width = head.tied or config.embedding_dim is None
        ours = (head.norm, head.activation, head.norm_eps)
        same = ours == ("layer", "gelu", config.norm_eps) and not head.next_sentence
        return {} if same and same_width else None


GENERATOR = ElectraGenerator()
