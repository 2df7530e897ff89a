"""Ids on disk, ready to be trained on."""

from __future__ import annotations

from foretext.data.token_file import TokenFile, Tokens
from foretext.data.token_writer import write_tokens

__all__ = ["TokenFile", "Tokens", "write_tokens"]
