"""What a kind of model puts around its texts, told to others by tokenizer.json."""

from __future__ import annotations

import json
from typing import Literal

from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import Tokenizer, processors

__all__ = ["FrameKind", "with_frame"]

# [CLS] a [SEP] and [CLS] a [SEP] b [SEP]; nothing, or Llama's <s> a where a tokenizer has it so
FrameKind = Literal["bert", "gpt"]


def with_frame(tokenizer: SubwordTokenizer, kind: FrameKind) -> SubwordTokenizer:
    """The same tokenizer, telling others what a model of this kind puts around a text.

    Raises:
        SettingError: it lacks a token of the frame.
    """
    if kind == "gpt" and tokenizer.library.encode("").ids == [tokenizer.special.start]:
        return tokenizer
    content = json.loads(tokenizer.library.to_str())
    content["post_processor"] = None
    library = Tokenizer.from_str(json.dumps(content))
    if kind == "bert":
        special = tokenizer.special
        cls, sep = special.required("cls"), special.required("sep")
        first, last = tokenizer.tokens[cls], tokenizer.tokens[sep]
        library.post_processor = processors.TemplateProcessing(
            single=f"{first} $A {last}",
            pair=f"{first} $A {last} $B:1 {last}:1",
            special_tokens=[(first, cls), (last, sep)],
        )
    return SubwordTokenizer(library)
