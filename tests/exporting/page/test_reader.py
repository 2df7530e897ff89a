"""Readers of pages without their networks: tokens, windows and answers are those of Python."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
import tokenizers
from foretext.artifact import kind_of_run
from foretext.corpus import Corpus
from foretext.data.rows import as_questions
from foretext.exporting.onnx import OnnxExport
from foretext.exporting.page.bundle import bundle
from foretext.exporting.page.character_runs import marks_and_blanks
from foretext.exporting.page.check_texts import HARD_TEXTS
from foretext.exporting.page.network_kinds import AnswersOfQuestions
from foretext.exporting.texts import HARD
from foretext.tasks.span_qa.readings import read_spans
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tests.exporting.models import saved_model, tokenizer
from tests.exporting.page.networks import NODE_MODULES, needs_runtime
from tokenizers import AddedToken, models, normalizers, pre_tokenizers

pytestmark = needs_runtime
PACKAGE = NODE_MODULES / "@huggingface/tokenizers/dist/tokenizers.min.mjs"
WORDS = (
    "the king lives in a castle `` '' -- "
    ". , ! ( ) Ship 中文 今天天气 é Å 😀 👩‍👩‍👧 ﬁ ½ ß 각 [UNK] [MASK] Σ <s> ▁ Ġ ##s"
)
PARTS = [*WORDS.split(" "), "e\u0301", "A\u030a", "q\u0323\u0307", "\u1100\u1161"]
BLANKS = ("", " ", "  ", "\n", "\u3000")


def drawn_texts(number: int) -> list[str]:
    """Texts of English and Chinese words, emoji, letters with marks, and names of tokens."""
    draw = random.Random(3)
    return [
        "".join(draw.choice(PARTS) + draw.choice(BLANKS) for _ in range(draw.randint(1, 40)))
        for _ in range(number)
    ]


def is_whole(text: str) -> bool:
    """Whether a text has no halves of pairs, which the library does not read."""
    return not any(0xD800 <= ord(character) < 0xE000 for character in text)


TEXTS = [
    *filter(is_whole, HARD_TEXTS),
    *(text for text in HARD if len(text) < 3000),
    *drawn_texts(60),
]
# Texts with characters that the package of npm takes for blanks, and the library does not.
MISREAD = ("\ufeffmark", "a\x00b\x0bc\x0cd\x1ce\x1ff\x85g\u2028h\u2029i")


def answered(
    folder: Path,
    about: dict[str, Any],
    library: str,
    inputs: Sequence[tuple[str, str]],
    scores: Any,
) -> list[Any]:
    """Return what the page's code makes of questions, and of the scores of their windows."""
    (folder / "reader.cjs").write_text(bundle("node_reader.js"), encoding="utf-8")
    given = {
        "about": about,
        "settings": [json.loads(library), {}],
        "inputs": inputs,
        "scores": scores,
    }
    (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
    run = subprocess.run(
        ["node", folder / "reader.cjs", folder / "given.json", PACKAGE],
        capture_output=True, encoding="utf-8", check=True, timeout=60,
    )  # fmt: skip
    found: list[Any] = json.loads(run.stdout)
    return found


def changed(
    kind: str, folder: Path, normalizer: Any = None, splitter: Any = None
) -> SubwordTokenizer:
    """A tokenizer with other rules."""
    library = tokenizers.Tokenizer.from_str(tokenizer(kind, folder).library.to_str())
    if normalizer is not None:
        library.normalizer = normalizer
    if splitter is not None:
        library.pre_tokenizer = splitter
    return SubwordTokenizer(library)


def of_characters(folder: Path) -> SubwordTokenizer:
    """Sub-words of characters, the last one of a word with a mark."""
    text = folder / "text.txt"
    text.write_text("the ship sails to one hut 中 天 é\n" * 20, encoding="utf-8")
    return learn_subwords("bpe", {"level": "character", "vocab_size": 60}, Corpus(text))


def of_words(folder: Path) -> SubwordTokenizer:
    text = folder / "text.txt"
    text.write_text("the ship sails to one hut 中 天 é\n" * 20, encoding="utf-8")
    return learn_subwords("word", {}, Corpus(text))


LOW = normalizers.Lowercase()
BERT = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
LLAMA = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
QUOTES = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
ALBERT = normalizers.Sequence(
    [
        *QUOTES,
        normalizers.NFKD(),
        normalizers.StripAccents(),
        LOW,
        normalizers.Replace(tokenizers.Regex(" {2,}"), " "),
        normalizers.Replace("--", "the"),
    ]
)
BY_BLANKS = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
TOKENIZERS: dict[str, Any] = {
    "wordpiece": lambda folder: tokenizer("wordpiece", folder),
    "bytes": lambda folder: tokenizer("bpe", folder),
    "unigram": lambda folder: tokenizer("unigram", folder).composing("NFKC"),
    "without accents": lambda folder: changed("wordpiece", folder, BERT),
    "without a form": lambda folder: changed("bpe", folder, LOW),
    "Llama": lambda folder: changed("unigram", folder, LLAMA),
    "ALBERT": lambda folder: changed("unigram", folder, ALBERT).composing("NFC"),
    "T5": lambda folder: changed("unigram", folder, splitter=BY_BLANKS),
    "blank first": lambda folder: changed(
        "bpe", folder, splitter=pre_tokenizers.ByteLevel(add_prefix_space=True)
    ),
    "characters": of_characters,
    "words": of_words,
}


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the text that tokenizers are learned from, once each."""
    return tmp_path_factory.mktemp("learned")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("name", TOKENIZERS)
def test_positions_of_tokens_are_those_of_the_library(
    name: str, learned: Path, tmp_path: Path
) -> None:
    own = TOKENIZERS[name](learned)
    texts = [text for text in TEXTS if text not in MISREAD]
    reading = {"between": [], "question_room": 4, "pair_room": 9000, "stride": 1}
    about = {
        "input": {"before": [], "behind": [], "pad": 0, "unknown": own.special.unknown or 0},
        "offsets": {"form": own.form, **marks_and_blanks()},
        "reading": reading,
    }
    found = answered(tmp_path, about, own.library.to_str(), [("", text) for text in texts], None)
    num_tokens = 0
    for text, each, wanted in zip(texts, found, own.encode_with_offsets(texts), strict=True):
        tokens = [(one["id"], [one["start"], one["end"]]) for one in each["tokens"]]
        assert tokens == [*zip(wanted.ids.tolist(), wanted.offsets.tolist(), strict=True)], text
        num_tokens += len(tokens)
    assert num_tokens > 1000


def asked(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Each text as a passage, with questions that are short, long and empty."""
    return [(texts[number - 1][: 7 * (number % 5)], text) for number, text in enumerate(texts)]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["abstaining reader", "llama reader"])
def test_windows_and_answers_are_those_of_python(name: str, tmp_path: Path) -> None:
    path = saved_model(name, tmp_path)
    model: Any = ft.load(path)
    model.temperature, model.null_threshold = 0.7, -0.5
    settings: Any = model.head.config
    kind = AnswersOfQuestions(OnnxExport(model, kind_of_run(path)))
    framing = model.text_framing
    unknown = model.base.tokenizer.special.unknown
    about = {
        "input": {
            "before": framing.prefix,
            "behind": framing.suffix,
            "pad": model.base.pad,
            "unknown": model.base.pad if unknown is None else unknown,
        },
        **kind.facts,
    }
    inputs = asked([text for text in TEXTS if text not in MISREAD])
    windows = model.windows(as_questions(inputs))
    assert len(windows.rows) > 2 * len(inputs)
    rng = np.random.default_rng(4)
    logits = [  # with many equal scores
        np.round(2 * rng.normal(0, 2, (len(row), 2))).astype(np.float32) / np.float32(2)
        for row in (windows.rows[number] for number in range(len(windows.rows)))
    ]
    readings = read_spans(
        windows,
        [text for _, text in inputs],
        logits,
        max_answer_length=settings.max_answer_length,
        num_best=settings.num_best,
    )
    scores = [
        np.concatenate([logits[row].T.ravel() for row in np.flatnonzero(windows.owners == owner)])
        for owner in range(len(inputs))
    ]
    found = answered(
        tmp_path,
        about,
        model.base.tokenizer.library.to_str(),
        inputs,
        [each.tolist() for each in scores],
    )
    assert [row["ids"] for each in found for row in each["rows"]] == [
        windows.rows[number].tolist() for number in range(len(windows.rows))
    ]
    for (question, text), each, reading in zip(inputs, found, readings, strict=True):
        wanted = [one.record() for one in model.choice.ranked(reading)]
        chances = [one.pop("probability") for one in wanted]
        answers = each["answer"]["answers"]
        assert [one.pop("probability") for one in answers] == pytest.approx(chances, abs=2e-6)
        assert each["answer"] == {"question": question, "context": text, "answers": wanted}
    given = [each["answer"]["answers"][0]["text"] for each in found]
    assert given == [model.choice.best(reading).text for reading in readings]
    assert any(given)


REFUSED = {
    "added": "added token 'king' only as a whole word",
    "prefix": "a BPE whose sub-words begin with '##' inside of words",
}


@pytest.mark.parametrize("rule", REFUSED)
def test_rules_that_a_page_does_not_know_are_named(rule: str, tmp_path: Path) -> None:
    path = saved_model("reader", tmp_path)
    model: Any = ft.load(path)
    library = tokenizers.Tokenizer.from_str(model.base.tokenizer.library.to_str())
    kind = AnswersOfQuestions(OnnxExport(model, kind_of_run(path)))
    assert kind.unknown_rule(library) == ""
    if rule == "added":
        library.add_tokens([AddedToken("king", single_word=True)])
    else:
        vocab = {"[UNK]": 0, "t": 1, "##h": 2, "th": 3}
        merges = [("t", "##h")]
        library.model = models.BPE(vocab, merges, continuing_subword_prefix="##")
    assert REFUSED[rule] in kind.unknown_rule(library)
