"""What a tokenizer of the `tokenizers` library gets after its vocabulary is known."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer as LibraryTokenizer
from tokenizers import processors

__all__ = ["with_bert_template", "with_special_tokens"]


def with_special_tokens(
    library: LibraryTokenizer, special_tokens: Sequence[str]
) -> LibraryTokenizer:
    """Make tokens of the vocabulary special: the library finds them in text unchanged."""
    library.add_special_tokens(list(special_tokens))
    return library


def with_bert_template(library: LibraryTokenizer) -> LibraryTokenizer:
    """Put ``[CLS]`` and ``[SEP]`` around texts, where the vocabulary has both."""
    ids = {token: library.token_to_id(token) for token in ("[CLS]", "[SEP]")}
    if None not in ids.values():
        library.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=list(ids.items()),
        )
    return library
