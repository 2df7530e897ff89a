"""What a model is asked in pretraining, and how wrong its answers are."""

from foretext.registry import Registry

__all__ = ["OBJECTIVES"]

OBJECTIVES = Registry(
    "objective",
    {
        "causal_lm": "foretext.objectives.causal_lm:CausalLM",
        "masked_lm": "foretext.objectives.masked_lm:MaskedLM",
    },
)
