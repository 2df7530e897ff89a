"""What a kind of model puts around its texts, told to others by tokenizer.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from foretext.errors import CorpusError
from foretext.parsing import parse_json
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import Tokenizer, processors

__all__ = ["FrameKind", "framed", "with_frame"]

# [CLS] a [SEP] and [CLS] a [SEP] b [SEP]; nothing, or Llama's <s> a where a tokenizer has it so
FrameKind = Literal["bert", "gpt"]


def with_frame(tokenizer: SubwordTokenizer, kind: FrameKind) -> SubwordTokenizer:
    """The same tokenizer, telling others what a model of this kind puts around a text.

    Raises:
        SettingError: it lacks a token of the frame.
    """
    if kind == "gpt" and tokenizer.library.encode("").ids == [tokenizer.special.start]:
        return tokenizer
    if kind == "gpt":
        return _with_processor(tokenizer, None)
    cls, sep = tokenizer.special.required("cls"), tokenizer.special.required("sep")
    return framed(tokenizer, [cls], [sep], [sep])


def framed(
    tokenizer: SubwordTokenizer,
    before: Sequence[int],
    between: Sequence[int],
    behind: Sequence[int],
    *,
    has_segments: bool = True,
) -> SubwordTokenizer:
    """The same tokenizer, telling others which ids stand around a text and between two.

    Args:
        tokenizer: gives the ids.
        before: ids before the first text.
        between: ids between the texts of a pair.
        behind: ids behind the last text.
        has_segments: whether what follows `between` is of segment 1.
    """
    ids = {tokenizer.tokens[index]: index for index in (*before, *between, *behind)}
    first, middle, last = (
        [tokenizer.tokens[index] for index in part] for part in (before, between, behind)
    )
    second = ["$B", *last]
    processor = processors.TemplateProcessing(
        single=[*first, "$A", *last],
        pair=[*first, "$A", *middle, *(f"{token}:{int(has_segments)}" for token in second)],
        special_tokens=list(ids.items()),
    )
    return _with_processor(tokenizer, processor)


def _with_processor(
    tokenizer: SubwordTokenizer, processor: processors.TemplateProcessing | None
) -> SubwordTokenizer:
    content = parse_json(tokenizer.library.to_str(), "The tokenizer", CorpusError)
    content["post_processor"] = None
    library = Tokenizer.from_str(json.dumps(content))
    if processor is not None:
        library.post_processor = processor
    return SubwordTokenizer(library)
