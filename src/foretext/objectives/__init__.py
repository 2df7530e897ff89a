"""Pretraining objectives: what a model predicts of a text, and the loss."""

from foretext.base.registry import Registry

__all__ = ["OBJECTIVES"]

OBJECTIVES = Registry(
    "objective",
    {
        "causal_lm": "foretext.objectives.causal_lm:CausalLM",
        "electra": "foretext.objectives.electra:Electra",
        "masked_lm": "foretext.objectives.masked_lm:MaskedLM",
        "permutation_lm": "foretext.objectives.permutation_lm:PermutationLM",
        "span_corruption": "foretext.objectives.span_corruption:SpanCorruption",
        "text_infilling": "foretext.objectives.text_infilling:TextInfilling",
        "prefix_lm": "foretext.objectives.prefix_lm:PrefixLM",
        "unilm": "foretext.objectives.unilm:UniLM",
        "bidirectional_lm": "foretext.objectives.bidirectional_lm:BidirectionalLM",
    },
)
