"""How llama.cpp turns a text into ids, as plain rules: `llm_tokenizer_wpm` and `llm_tokenizer_bpe`.

They are compared with llama.cpp itself in tests. An export compares them with the tokenizer, so
that ids are compared where there is no llama.cpp, too, and so that a text that both split
differently can be distinguished from a fault of the file.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property

from foretext.exporting.gguf.vocabulary import UNUSED, WORD, Vocabulary

__all__ = ["Reading", "byte_letters", "gpt2_pieces", "wordpiece_words"]

BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
CHINESE = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
LAST_SYMBOL = 0x7E  # of ASCII, which stands alone
SHORTENED = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


class Reading:
    """A tokenizer in a file, as llama.cpp runs it.

    Args:
        vocabulary: of the file.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._ids = {
            token: index
            for index, token in enumerate(vocabulary.tokens)
            if vocabulary.kinds[index] != UNUSED
        }

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, without those around it."""
        encode = self._of_words if self.vocabulary.model == "bert" else self._of_bytes
        found: list[int] = []
        for part in self._split.split(text) if self.vocabulary.special else [text]:
            if part in self.vocabulary.special:
                found.append(self.vocabulary.special[part])
            elif part:
                found += encode(part)
        return found

    def words(self, text: str) -> list[str]:
        """Return the words of a text, before they become pieces."""
        keys = self.vocabulary.keys
        return wordpiece_words(
            text,
            lowercase=bool(keys["normalizer.lowercase"]),
            strip_accents=bool(keys["normalizer.strip_accents"]),
        )

    def _of_words(self, text: str) -> list[int]:
        return [index for word in self.words(text) for index in self._pieces(word)]

    def _pieces(self, word: str) -> list[int]:
        """Return the longest tokens of a word, from its beginning; unknown if one is missing."""
        rest, found = WORD + word, []
        while rest:
            lengths = range(min(len(rest), self._longest), 0, -1)
            length = next((each for each in lengths if rest[:each] in self._ids), None)
            if length is None:
                return [int(self.vocabulary.keys["unknown_token_id"])]
            found.append(self._ids[rest[:length]])
            rest = rest[length:]
        return found

    def _of_bytes(self, text: str) -> list[int]:
        letters = byte_letters()
        found: list[int] = []
        for piece in gpt2_pieces(text):
            symbols = [letters[byte] for byte in piece.encode("utf-8", "surrogatepass")]
            found += [self._ids[symbol] for symbol in self._merged(symbols)]
        return found

    def _merged(self, symbols: list[str]) -> list[str]:
        """Merge neighbours: those of the first pair first, of equal ones those further left."""
        following = [*range(1, len(symbols)), -1]
        before = [*range(-1, len(symbols) - 1)]
        queue: list[tuple[int, int, str]] = []

        def add(left: int, right: int) -> None:
            pair = f"{symbols[left]} {symbols[right]}"
            if left >= 0 and right >= 0 and pair in self._ranks:
                heapq.heappush(queue, (self._ranks[pair], left, pair))

        for left in range(len(symbols) - 1):
            add(left, left + 1)
        while queue:
            _, left, pair = heapq.heappop(queue)
            right = following[left]
            if right < 0 or not symbols[left] or f"{symbols[left]} {symbols[right]}" != pair:
                continue  # one of them has been merged since
            symbols[left], symbols[right] = symbols[left] + symbols[right], ""
            following[left] = following[right]
            if following[right] >= 0:
                before[following[right]] = left
            add(before[left], left)
            add(left, following[left])
        return [symbol for symbol in symbols if symbol]

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {pair: rank for rank, pair in enumerate(self.vocabulary.merges)}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._ids))

    @cached_property
    def _split(self) -> re.Pattern[str]:
        names = sorted(self.vocabulary.special, key=len, reverse=True)
        return re.compile(f"({'|'.join(map(re.escape, names))})")


def wordpiece_words(text: str, *, lowercase: bool, strip_accents: bool) -> list[str]:
    """Return the words of a text, as `llm_tokenizer_wpm_session::preprocess` does.

    Args:
        text: as it is given.
        lowercase: whether letters become small, each for itself.
        strip_accents: whether each letter stays without its marks.
    """
    words = [""]
    left_out = {"Cc", "Cf", "Co", "Cs", *({"Mn", "Mc", "Me"} if strip_accents else ())}
    for character in text:
        letter = unicodedata.normalize("NFD", character)[0] if strip_accents else character
        category = unicodedata.category(letter)
        if BLANKS.match(letter):
            words.append("")
        elif letter in "\0\ufffd" or category in left_out:
            continue
        else:
            shown = letter.lower()[0] if lowercase else letter
            is_symbol = category.startswith("S") and ord(letter) <= LAST_SYMBOL
            if category.startswith("P") or is_symbol or CHINESE.match(letter):
                words += [shown, ""]
            else:
                words[-1] += shown
    return [word for word in words if word]


def gpt2_pieces(text: str) -> Iterator[str]:
    """Yield the pieces of a text, as `unicode_regex_split_custom_gpt2` does."""
    start = 0
    while start < len(text):
        end = _end_of_piece(text, start)
        yield text[start:end]
        start = end


def _end_of_piece(text: str, start: int) -> int:
    shortened = next((each for each in SHORTENED if text.startswith(each, start)), None)
    if shortened is not None:
        return start + len(shortened)
    begin = start + (text[start] == " ")
    for belongs in (_is_letter, _is_number, _is_other):
        end = _run(text, begin, belongs)
        if end > begin:
            return end
    end = _run(text, start, _is_blank)
    return end - 1 if end < len(text) and end - start > 1 else end  # the last is the next one's


def _run(text: str, start: int, belongs: Callable[[str], bool]) -> int:
    end = start
    while end < len(text) and belongs(text[end]):
        end += 1
    return end


def _is_blank(character: str) -> bool:
    return BLANKS.match(character) is not None


def _is_letter(character: str) -> bool:
    return unicodedata.category(character).startswith("L")


def _is_number(character: str) -> bool:
    return unicodedata.category(character).startswith("N")


def _is_other(character: str) -> bool:
    return not (_is_blank(character) or _is_letter(character) or _is_number(character))


def byte_letters() -> list[str]:
    """Return the letter of each byte, as GPT-2 writes it."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters |= {byte: chr(256 + index) for index, byte in enumerate(hidden)}
    return [letters[byte] for byte in range(256)]
