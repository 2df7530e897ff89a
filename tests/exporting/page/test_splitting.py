"""A page cuts texts exactly as Python does, whatever stands in them."""

from __future__ import annotations

import json
import subprocess
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.parsing import write_tensors
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.exporting.page.bundle import bundle
from foretext.exporting.page.check_texts import HARD_TEXTS
from foretext.exporting.page.splitting import (
    PageSplitter,
    blank_characters,
    of_classifier,
    of_pre_tokenizer,
    of_spelled_words,
    of_white_space,
)
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.tasks.fasttext.splitter import Blanks
from foretext.tasks.spelled_words import prepared, words_of
from tests.exporting.page.node import needs_node

HOSTILE = (
    "\ud800", "a\udfffb", "\udc00\ud800", "e\u0301\u0323 \u1e69\u0323", "\u0345\u0399\u03b1\u0345",
    "İ i İİ ıI", "ΑΣ ΑΣΑ Σ ΑΣ\u0301 ΑΣ. Α'Σ", "\t\x0b\x1c\x1f\x85\u00a0\u1680\u2028\u202f\u3000",
    "a\u200bb a\u200cb a\u200db a\u2060b a\ufeffb a\u00adb \ufe0f", "<br /> <BR /> <b\"r /> \"\"",
    "\u1e9e ẞß ŉ ǰ Ǆǅǆ \u2160\u2170 \u24b6\u24d0", "\u0130\u0307", "한글 \u1112\u1161\u11ab",
    "👩🏽‍🚀🇨🇳❤️", "\u2776 ½ ² ٣ 〇 々 ㊗", "𐐀 𝐀 \U0001e900 \U000e0100", "x" * 1500,
    "!?.,;:()'\"" * 9,
    "ﬁ Ｆ ㍍ ﷺ", "\u0915\u094d\u0937 \u0e01\u0e33", "\x00a\x00b", "a_b __label__c",
)  # fmt: skip
Cut = Callable[[str], list[str]]


def of_kind(kind: Any, **settings: Any) -> tuple[PageSplitter, Cut]:
    cut = PreTokenizer(kind, **settings)
    return of_pre_tokenizer(cut), cut.words


def of_program(**settings: Any) -> tuple[PageSplitter, Cut]:
    config = ResolvedConfig(pre_tokenizer="blanks", **settings)
    cut = Blanks(lowercase=config.lowercase)
    blanks = " \n\r\t\v\f\0"

    def words(text: str) -> list[str]:
        whole = cut.utf8(text).tobytes().decode()
        return whole.translate({ord(blank): " " for blank in blanks}).split(" ")

    return of_classifier(config, None, None), lambda text: [word for word in words(text) if word]


def of_spelled(splitting: Any, form: Any = "NFC") -> tuple[PageSplitter, Cut]:
    return of_spelled_words(splitting, form), lambda text: words_of(
        prepared(text, splitting, form), splitting
    )


QUICK = ("basic_english", "spelled signs")


def cases() -> dict[str, Callable[[], tuple[PageSplitter, Cut]]]:
    kinds = ("whitespace", "basic_english", "unicode_words", "words_and_punctuation")
    return {
        **{kind: partial(of_kind, kind) for kind in (*kinds, "chinese_characters")},
        "capitals": partial(of_kind, "basic_english", lowercase=False),
        "NFKC": partial(of_kind, "unicode_words", form="NFKC"),
        "first edition": partial(of_kind, "unicode_words", edition=1),
        "blanks": of_program,
        "small blanks": partial(of_program, lowercase=True),
        "spelled": partial(of_spelled, "unicode_words"),
        "spelled signs": partial(of_spelled, "words_and_punctuation", "NFKC"),
        "spelled blanks": partial(of_spelled, "whitespace"),
        "letters": partial(of_spelled, "letters"),
        "split": lambda: (of_white_space(), str.split),
    }


def cut_by_node(splitters: dict[str, PageSplitter], texts: list[str], folder: Path) -> Any:
    """Return the words of each text by each splitter, as a page cuts them."""
    for number, splitter in enumerate(splitters.values()):
        about = json.dumps({"steps": splitter.steps})
        write_tensors(folder / f"{number}.safetensors", splitter.tensors(), {"page": about})
    (folder / "texts.json").write_text(json.dumps(texts))
    (folder / "cut.cjs").write_text(bundle("node_cut.js"))
    names = [str(folder / f"{number}.safetensors") for number in range(len(splitters))]
    command = ["node", str(folder / "cut.cjs"), str(folder / "texts.json"), *names]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(zip(splitters, json.loads(run.stdout), strict=True))


def check(names: Sequence[str] | None, texts: list[str], folder: Path) -> None:
    """Compare the words of each text by some splitters; None: by all."""
    wanted = {name: case() for name, case in cases().items() if names is None or name in names}
    splitters = {name: splitter for name, (splitter, _) in wanted.items()}
    found = cut_by_node(splitters, texts, folder)
    for name, (_, cut) in wanted.items():
        for text, words in zip(texts, found[name], strict=True):
            assert words == cut(text), (name, text)


def drawn_texts() -> list[str]:
    rng = np.random.default_rng(5)
    points = [*range(0x20, 0x250), *range(0x300, 0x590), *range(0x3000, 0x3100), 0x1F600, 0x130]
    return ["".join(map(chr, rng.choice(points, 30))) for _ in range(60)]


@needs_node
def test_words_are_those_of_python(tmp_path: Path) -> None:
    check(QUICK, [*HOSTILE, *HARD_TEXTS, *drawn_texts()], tmp_path)


@pytest.mark.slow
@needs_node
def test_every_character_is_cut_as_python_does(tmp_path: Path) -> None:
    assigned = [chr(point) for point in range(0x30000) if unicodedata.category(chr(point)) != "Cn"]
    each = [f"a{character}b {character}" for character in assigned]
    texts = ["\n".join(each[first : first + 64]) for first in range(0, len(each), 64)]
    check(None, [*HOSTILE, *HARD_TEXTS, *drawn_texts(), *texts], tmp_path)


def test_blanks_are_those_of_python() -> None:
    points = [int(each, 16) for each in blank_characters().split("\\u")[1:]]
    assert "".join(map(chr, points)).isspace()
    assert {0x20, 0x1C, 0x85, 0x3000} <= set(points)
