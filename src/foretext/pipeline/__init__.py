"""The straight line from a person's text to what was learned from it."""

from foretext.pipeline.finetuning import finetune
from foretext.pipeline.pretraining import Pretrained, pretrain, run_recipe
from foretext.pipeline.tokenizers import learn_tokenizer

__all__ = ["Pretrained", "finetune", "learn_tokenizer", "pretrain", "run_recipe"]
