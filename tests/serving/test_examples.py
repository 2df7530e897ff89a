"""What the forms of the playground show at first: texts in the language of the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones import BACKBONES
from foretext.backbones.transformer import Transformer
from foretext.data.rows import LabelledText, ParallelText
from foretext.data.rows.parallel import ParallelConfig
from foretext.heads.base import TaskBase
from foretext.language_model import LanguageModel
from foretext.objectives.masked_lm import MaskedLM
from foretext.serving.served_model import ServedModel
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.text_to_text.network import TextWriter
from foretext.tokenizers.example_texts import EXAMPLE_TEXTS, example_texts, examples_of_words
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.vectors.word_vectors import WordVectors

GERMAN = "Er wohnt seit drei Jahren hier und das ist das erste Mal dass wir das Haus sehen"
RUSSIAN = "он жил здесь три года и это первый раз когда мы видим этот дом король"
JAPANESE = "は に を て の で 彼 ここ 三 年 住んで いて 私たち が この 家 見る 男 王 女"
LATIN = "arma virumque cano troiae qui primus oris italiam fato profugus laviniaque venit"
CODE = "( ) self def return import [ ] for in range print __init__ None"
PRIVATE = "patient Xaver Quastenflosser hat Zimmer sieben"


class Texts:
    """Texts as a corpus of documents."""

    bytes_read = 0
    fingerprint = "texts"

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def blocks(self, size: int = 1) -> Any:
        yield "".join(f"{text}\n\n" for text in self.texts)


def examples(model: Any) -> dict[str, Any]:
    found: dict[str, Any] = ServedModel("one", model).info()["examples"]
    return found


def vectors(words: Sequence[str]) -> WordVectors:
    words = list(dict.fromkeys(words))
    values = np.random.default_rng(0).standard_normal((len(words), 4)).astype(np.float32)
    return WordVectors(words, values)


@cache
def tokenizer(*codes: str) -> SubwordTokenizer:
    texts = [EXAMPLE_TEXTS[code].text for code in codes]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[EOS]"]
    settings = {"vocab_size": 900, "min_count": 1, "special_tokens": special}
    return learn_subwords("wordpiece", settings, Texts([*texts, *map(str.lower, texts), PRIVATE]))


def transformer(reader: SubwordTokenizer) -> Transformer:
    torch.manual_seed(0)
    shape = Transformer.Config(num_layers=1, dim=16, num_heads=2, max_length=48)
    return Transformer(shape, reader.vocab_size)


def classifier(code: str) -> TextClassifier:
    reader = tokenizer(code)
    rows = [LabelledText(PRIVATE, (label,), f"rows:{label}") for label in ("one", "two")]
    base = TaskBase(reader, transformer(reader), "full")
    return TextClassifier.begin(base, TextClassifier.task.head_config(), rows)


def writer(*codes: str, target: str | None = None) -> TextWriter:
    """One that reads a vocabulary of languages, and writes in the same or in one of its own."""
    torch.manual_seed(0)
    component = BACKBONES.resolve("seq2seq")
    shape = {"kind": "gru", "dim": 16, "vector_size": 16, "dropout": 0.0}
    backbone = component(component.Config(**shape), tokenizer(*codes).vocab_size)
    base = TaskBase(tokenizer(*codes), backbone, "causal")
    if target is not None:
        base = base._replace(target_tokenizer=tokenizer(target))
    rows = [ParallelText(PRIVATE, PRIVATE, f"rows:{line}") for line in range(3)]
    return TextWriter.begin(base, TextWriter.task.head_config(max_length=24), rows)


# Word vectors


@pytest.mark.parametrize(
    ("words", "code"),
    [(GERMAN.split(), "de"), (RUSSIAN.split(), "ru"), (JAPANESE.split(), "ja")],
)
def test_word_vectors_show_texts_of_their_language_and_words_that_they_have(
    words: list[str], code: str
) -> None:
    model = vectors(words)
    found = examples(model)
    assert found["text"] == EXAMPLE_TEXTS[code].text
    assert found["pair"] == list(EXAMPLE_TEXTS[code].pair)
    assert all(word in model for word in (*found["words"], *found["analogy"]))


def test_an_analogy_is_written_as_the_vectors_have_it() -> None:
    words = [*GERMAN.split(), "mann", "König", "frau"]
    assert examples(vectors(words))["analogy"] == ["mann", "König", "frau"]
    assert set(examples(vectors(words[:-1]))["analogy"]) <= set(words)


@pytest.mark.parametrize("text", [LATIN, CODE])
def test_word_vectors_of_an_unknown_language_show_their_own_words(text: str) -> None:
    model = vectors(text.split())
    assert ServedModel("one", model).info()["languages"] == []
    found = examples(model)
    texts = [found["text"], found["names"], *found["pair"], *found["passage"], found["question"]]
    assert all(word in model for each in texts for word in each.split())
    assert set(found["blank"].split()) - {"[MASK]"} <= set(text.split())


# Networks


@pytest.mark.parametrize("code", ["zh", "pl"])
def test_a_masked_language_model_hides_a_word_of_its_language(code: str) -> None:
    reader = tokenizer(code)
    backbone = transformer(reader)
    objective = MaskedLM(MaskedLM.Config(), backbone, reader)
    found = examples(LanguageModel(reader, backbone, objective, device="cpu"))
    assert found["blank"].count("[MASK]") == 1
    assert found["blank"].startswith(found["prompt"])
    assert found["text"] == EXAMPLE_TEXTS[code].text
    assert found["blank"] != found["text"]


@pytest.mark.parametrize("code", ["en", "tr"])
def test_a_classifier_shows_a_text_of_its_language_and_none_of_its_rows(code: str) -> None:
    found = examples(classifier(code))
    assert found == example_texts([code])
    assert "Quastenflosser" not in str(found)


def test_a_translator_shows_a_text_of_the_language_that_it_reads() -> None:
    assert examples(writer("de", target="en"))["text"] == EXAMPLE_TEXTS["de"].text
    assert examples(writer("en", target="de"))["text"] == EXAMPLE_TEXTS["en"].text


@pytest.mark.parametrize(("source", "target"), [("de", "en"), ("fr", "es")])
def test_the_column_of_the_sources_tells_two_languages_of_a_vocabulary_apart(
    source: str, target: str
) -> None:
    model = writer(source, target)
    model.reading = ParallelConfig(source=source, target=target)
    assert examples(model)["text"] == EXAMPLE_TEXTS[source].text
    model.reading = ParallelConfig(source=target, target=source)
    assert examples(model)["text"] == EXAMPLE_TEXTS[target].text


# The table


def test_english_stands_for_what_says_nothing_of_its_language() -> None:
    assert example_texts(None) == example_texts([]) == example_texts(["en", "de"])


@pytest.mark.parametrize("code", EXAMPLE_TEXTS)
def test_every_language_has_each_example(code: str) -> None:
    found = example_texts([code])
    assert found.keys() == example_texts(["en"]).keys()
    assert all(found.values())
    assert found["blank"].count("[MASK]") == 1
    assert found["text"].startswith(found["prompt"])
    assert (len(found["pair"]), len(found["passage"]), len(found["analogy"])) == (2, 4, 3)
    assert not {"[", "]"} & {*found["text"]}


@pytest.mark.parametrize("words", [["sea"], ["a", "sea"], ["[UNK]", "</s>", ".", "sea"]])
def test_few_words_are_enough_for_every_example(words: list[str]) -> None:
    found = examples_of_words(words)
    assert found.keys() == example_texts(None).keys()
    assert "sea" in found["names"]
    assert found["analogy"][0] in words


def test_no_words_give_no_examples() -> None:
    assert examples_of_words([]) == examples_of_words(["[UNK]", "."]) == {}
