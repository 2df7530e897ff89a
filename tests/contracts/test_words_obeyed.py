"""A setting of a tokenizer or of vectors that is changed changes the tokens or the vectors.

Every setting that a class of settings has is tried by itself: see `test_obeyed.py`. What a run
keeps of its settings, such as its recipe, is not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import foretext as ft
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.recipe import Recipe
from foretext.tokenizers import WordTokenizer
from foretext.tokenizers.subwords import SUBWORDS, learn_subwords
from foretext.topics import TOPICS
from foretext.vectors import VECTORS
from foretext.vectors.word_vectors import WordVectors
from tests.contracts.changed_settings import (
    Settings,
    assert_obeyed,
    digest,
    found_in,
    missing_tests,
    others,
    shown_arrays,
    shown_losses,
)
from tests.contracts.covering import covering, quick_if
from tests.networks import sentences

WORDS = "words"  # the tokenizer of vectors, which is in no table
OTHER_TEXT = (
    "Der Café-Besitzer sagt: don't stop, 3.14 or e-mail!\n"
    "Zażółć the naïve STRASSE (naïve) the Straße; don't go to the café.\n"
)
RARE = "A quagga met an okapi, and nobody saw them."
ASKED = ["The dog barks again.", "don't stop the naïve café-owner, 3.14!", "STRASSE", "zzz"]
TOKENS: dict[str, Settings] = {
    "bpe": {"vocab_size": 320},
    "wordpiece": {"vocab_size": 150, "lowercase": False},
    "unigram": {"vocab_size": 120},
    "word": {"vocab_size": 100},
    WORDS: {"min_count": 1},
}
CBOW: Settings = {"model": "cbow", "alpha": 0.5}
DM: Settings = {"model": "dm"}
SMALL: Settings = {"vector_size": 8, "epochs": 2, "workers": 1}
FEW_TOPICS: Settings = {"num_topics": 3, "epochs": 2, "workers": 1, "most_documents": 0.9}
CHARACTERS: Settings = {"level": "character"}
RISING: Settings = {"alpha": 0.9, "epochs": 8}
VALUES: dict[str, list[Any]] = {  # where no usual number is another value
    "tokenizer.vocab_size": [90, 300],
    "word: tokenizer.vocab_size": [20],
    "doc2vec: vectors.infer_epochs": [7],
    "tokenizer.special_tokens": [["[UNK]"]],
    "tokenizer.max_vocab_size": [12],
    "tokenizer.unknown_words": [["dog"]],
    "tokenizer.limit_alphabet": [20],
    "vectors.min_alpha": [0.01],
    "bpe: tokenizer.end_of_word": ["_"],
    "bpe: tokenizer.min_count": [100],
    "wordpiece: tokenizer.min_count": [100],
    "fasttext: vectors.bucket": [50],
    "vectors.patience": [1],
    "topics.batch_documents": [1],
    "topics.most_documents": [0.3],
    "doc2vec: vectors.names": ["title"],
}
BESIDE: dict[str, Settings] = {  # what a setting needs beside it
    "bpe: tokenizer.words": CHARACTERS,
    "bpe: tokenizer.end_of_word": CHARACTERS,
    "bpe: tokenizer.limit_alphabet": CHARACTERS,
    "word2vec: vectors.cbow_mean": CBOW,
    "word2vec: vectors.cbow_gradient": CBOW,
    "doc2vec: vectors.context": DM,
    "doc2vec: vectors.window": DM,
    "doc2vec: vectors.exact": {"dbow_words": True},
    "word2vec: vectors.subsampling": {"sample": 0.1},
    "doc2vec: vectors.subsampling": {"sample": 0.1},
    "vectors.patience": RISING,
    "word2vec: vectors.patience": {**RISING, "alpha": 0.3},
    "glove: vectors.x_max": {},
}
OFF: dict[str, list[Settings]] = {  # what leaves other settings without a meaning
    "word2vec": [{"loss": "hs"}, {"model": "cbow"}, {"sample": 0.0}],
    "doc2vec": [{"loss": "hs"}, {"model": "dm"}, {"sample": 0.0}],
    "fasttext": [{"loss": "hs"}, {"maxn": 0}, {"sample": 0.0}],
    "glove": [{"exponent": 0.0}],
    "bpe": [CHARACTERS],
}
ALWAYS = {  # settings that no other one leaves without a meaning
    "vectors.exact": "one worker, at least",
    "vectors.patience": "decides where a loss rises, which is tried above",
}
LATER = "a file is left only while a training runs"
SAME = "the results are the same, only time or memory are not"
ELSEWHERE: dict[str, str] = {  # what a moment cannot show, with the reason
    "vectors.budget_seconds": "the clock decides; see tests/vectors/test_hogwild.py",
    "vectors.checkpoint_seconds": f"{LATER}; see tests/vectors/test_fasttext.py",
    "vectors.workers": "threads race; see tests/vectors/test_word2vec.py",
    "vectors.processes": "they race; see tests/vectors/replicas/test_training.py",
    "vectors.sync_words": "they race; see tests/vectors/replicas/test_training.py",
    "topics.budget_seconds": "the clock decides; see tests/topics/test_lda.py",
    "topics.checkpoint_seconds": f"{LATER}; see tests/topics/test_lda.py",
    "topics.workers": f"{SAME}; see tests/topics/test_lda.py",
    "unigram: tokenizer.sample_characters": "more text; see tests/tokenizers/test_subwords.py",
    "glove: vectors.cooccurrence": f"{SAME}; see tests/vectors/test_glove.py",
    "glove: vectors.memory": f"{SAME}; see tests/vectors/test_glove.py",
}


def configs() -> dict[str, dict[str, type[Config]]]:
    """The classes of settings, by section and owner."""
    tokenizers = {name: SUBWORDS.resolve(name).Config for name in SUBWORDS}
    return {
        "tokenizer": {**tokenizers, WORDS: WordTokenizer.Config},
        "vectors": {name: VECTORS.resolve(name).Config for name in VECTORS},
        "topics": {name: TOPICS.resolve(name).Config for name in TOPICS},
    }


def fields() -> Iterator[tuple[str, str, str]]:
    for section, owners in configs().items():
        for owner, config in owners.items():
            for name in config.model_fields:
                if found_in(ELSEWHERE, [owner], f"{section}.{name}") is None:
                    yield section, owner, name


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents with names; the rare words are in the last ones."""
    path = tmp_path_factory.mktemp("texts") / "animals.jsonl"
    documents = [*sentences(40).split("\n\n"), OTHER_TEXT, OTHER_TEXT.lower(), RARE]
    rows = [{"text": each, "title": f"n{number}"} for number, each in enumerate(documents)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def shown_tokens(owner: str, settings: Settings, text: Path) -> str:
    """The tokens that are learned, and what they make of other texts."""
    if owner == WORDS:
        tokenizer: Any = WordTokenizer.learn(
            WordTokenizer.Config.checked(dict(settings), "tokenizer"), Corpus(text)
        )
    else:
        tokenizer = learn_subwords(owner, dict(settings), Corpus(text))
    ids = tokenizer.encode_batch(ASKED)
    return digest([[*tokenizer.tokens], ids, [tokenizer.decode(each) for each in ids]])


def shown_vectors(owner: str, settings: Settings, text: Path) -> str:
    """The vectors of a run, its losses, and the vectors of texts that it was not taught."""
    with TemporaryDirectory(dir=text.parent) as folder:
        out = Path(folder) / "run"
        model: Any = ft.pretrain(recipe_of(owner, "vectors", settings), text, out, quiet=True)
        arrays = {"vectors": model.vectors, "asked": model.embed(ASKED)}
        if (out / "outputs.safetensors").is_file():
            arrays["outputs"] = WordVectors.load(out / "outputs.safetensors").vectors
        names = getattr(model, "names", None) or model.index_to_key
        return digest([[*names], *shown_arrays(arrays), *shown_losses(out / "metrics.jsonl")])


def shown_topics(owner: str, settings: Settings, text: Path) -> str:
    """The topics of a run, its losses, and the topics of texts that it was not taught."""
    with TemporaryDirectory(dir=text.parent) as folder:
        out = Path(folder) / "run"
        model: Any = ft.pretrain(recipe_of(owner, "topics", settings), text, out, quiet=True)
        arrays = {"topics": model.words.table, "asked": model.embed(ASKED)}
        return digest([*shown_arrays(arrays), *shown_losses(out / "metrics.jsonl")])


def recipe_of(owner: str, section: str, settings: Settings) -> Recipe:
    sections = {section: settings, "tokenizer": {"min_count": 1}, "data": {"valid_rate": 0.2}}
    overrides = [
        f"{section}.{name}={value if isinstance(value, str) else json.dumps(value)}"
        for section, values in sections.items()
        for name, value in values.items()
    ]
    return Recipe.load(owner, overrides)


SHOWN = {"tokenizer": shown_tokens, "vectors": shown_vectors, "topics": shown_topics}


def usual_settings(section: str, owner: str) -> Settings:
    return TOKENS[owner] if section == "tokenizer" else USUAL[section]


USUAL = {"vectors": SMALL, "topics": FEW_TOPICS}


@cache
def shown(section: str, owner: str, settings: str, text: Path) -> str:
    return SHOWN[section](owner, json.loads(settings), text)


FIELDS = [*fields()]
QUICK = covering(FIELDS, lambda field: {field[::2]})  # each name of a setting once


@pytest.mark.parametrize("field", quick_if(FIELDS, QUICK, " ".join))
def test_a_changed_setting_is_obeyed(field: tuple[str, str, str], text: Path) -> None:
    section, owner, name = field
    setting = f"{section}.{name}"
    beside = {
        **usual_settings(section, owner),
        **(found_in(BESIDE, [owner], setting) or {}),
    }
    config = configs()[section][owner].checked(dict(beside), section)
    assert_obeyed(
        f"{owner}: {setting}",
        found_in(VALUES, [owner], setting) or others(config, name),
        shown(section, owner, json.dumps(beside), text),
        lambda value: shown(section, owner, json.dumps({**beside, name: value}), text),
    )


ALL_OFF = [(owner, off) for owner, offs in OFF.items() for off in offs]
QUICK_OFF = covering(ALL_OFF, lambda case: [case[0], str(case[1])])


@pytest.mark.parametrize("case", quick_if(ALL_OFF, QUICK_OFF, lambda case: f"{case[0]} {case[1]}"))
def test_a_setting_that_another_leaves_without_effect_is_refused(
    case: tuple[str, Settings], text: Path
) -> None:
    owner, off = case
    section, kind = next(
        (section, owners[owner]) for section, owners in configs().items() if owner in owners
    )
    idle = []
    for name in [each for part, who, each in fields() if (part, who) == (section, owner)]:
        setting = f"{section}.{name}"
        if name in off or setting in ALWAYS:
            continue
        beside = {
            **usual_settings(section, owner),
            **(found_in(BESIDE, [owner], setting) or {}),
            **off,
        }
        values = found_in(VALUES, [owner], setting) or others(kind.model_construct(), name)
        for value in [each for each in values if each != beside.get(name)]:
            with suppress(SettingError):
                changed = shown(section, owner, json.dumps({**beside, name: value}), text)
                if changed == shown(section, owner, json.dumps(beside), text):
                    idle.append(f"{setting} = {value!r}")
                break
    assert not idle, f"these change nothing beside {off}, and are not refused"


def test_the_tables_name_settings_that_are_there() -> None:
    there = {
        key
        for section, owners in configs().items()
        for owner, config in owners.items()
        for name in config.model_fields
        for key in (f"{section}.{name}", f"{owner}: {section}.{name}")
    }
    assert not {*VALUES, *BESIDE, *ELSEWHERE} - there


def test_the_tests_are_there_that_show_the_others() -> None:
    assert not missing_tests(ELSEWHERE.values())
