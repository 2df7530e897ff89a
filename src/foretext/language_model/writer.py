"""Tokens become text as they come, until the end token or a stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["EndedBy", "Stream", "Writer"]

Stream = Callable[[str], None]  # takes text as it comes
EndedBy = Literal["end", "stop", "length"]  # the end token, a stop, or the most tokens allowed
UNFINISHED = "\ufffd"  # stands for the first bytes of a letter


class Writer:
    """Turns the tokens of one sample into text, looks for stops, and streams what is certain.

    Args:
        tokenizer: of the ids.
        context: ids that stand before the first new one.
        ends: ids each of which ends a text.
        stop: texts that end a sample, and are not part of it.
        stream: takes the text as it comes, or None.
    """

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        context: Sequence[int],
        ends: Sequence[int],
        stop: Sequence[str],
        stream: Stream | None,
    ) -> None:
        self.ended_by: EndedBy = "length"
        self._tokenizer = tokenizer
        self._ids = list(context)
        self._known = 0  # ids before these are written and needed no more
        self._written = len(self._ids)  # ids whose text is in `_text`
        self._ends = frozenset(ends)
        self._stop = stop
        self._stream = stream
        self._text = ""
        self._shown = 0  # letters that are certain, so that the stream got them

    @property
    def certain(self) -> str:
        """The text so far, without letters that may be the beginning of a stop."""
        return self._text[: self._shown]

    def take(self, token: int) -> bool:
        """Add a token; True where it ends the text."""
        if token in self._ends:
            self.ended_by = "end"
            return True
        self._ids.append(token)
        self._write(self._piece(), certain=False)
        if self.ended_by == "stop":
            return True
        self._show(len(self._text) - self._held_back())
        return False

    def finish(self) -> str:
        """Return the whole text, and show what was held back."""
        if self.ended_by != "stop":
            self._write(self._piece(), certain=True)
        self._show(len(self._text))
        return self._text

    def _piece(self) -> str:
        """Text of the ids that are not written yet, as it reads after those before them."""
        before = self._tokenizer.decode(self._ids[self._known : self._written])
        return self._tokenizer.decode(self._ids[self._known :])[len(before) :]

    def _write(self, piece: str, *, certain: bool) -> None:
        if piece.endswith(UNFINISHED) and not certain:
            return
        self._known, self._written = self._written, len(self._ids)
        searched = max(len(self._text) - max(map(len, self._stop), default=0), 0)
        self._text += piece
        found = [at for stop in self._stop if (at := self._text.find(stop, searched)) >= 0]
        if found:
            self._text, self.ended_by = self._text[: min(found)], "stop"

    def _held_back(self) -> int:
        """Letters at the end of the text that may be the beginning of a stop."""
        return max(
            (
                length
                for stop in self._stop
                for length in range(1, len(stop))
                if self._text.endswith(stop[:length])
            ),
            default=0,
        )

    def _show(self, length: int) -> None:
        if length > self._shown:
            if self._stream is not None:
                self._stream(self._text[self._shown : length])
            self._shown = length
