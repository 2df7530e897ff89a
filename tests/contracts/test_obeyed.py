"""A setting that is changed changes something: the network, its examples, or how it is trained.

For every setting of every backbone, every objective and of the training another value is chosen.
What is built is compared first, then what is read, then what two steps of a training leave. So a
setting that nothing reads, or that something overwrites, is found by itself. `BESIDE` says what a
setting needs beside it, `ELSEWHERE` which ones such a training cannot show, and why. Tokenizers and
vectors are in `test_words_obeyed.py`, tasks and classifiers in `test_rows_obeyed.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch

from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.data import write_tokens
from foretext.data.token_file import Tokens
from foretext.pretraining.building import build_model, objective_class, training_config
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.loop import fit
from foretext.training.validation import HeldOutLoss
from tests.contracts.changed_settings import (
    assert_obeyed,
    digest,
    found_in,
    missing_tests,
    others,
)
from tests.contracts.covering import covering, quick_if
from tests.contracts.pairs import LAWFUL, Pair, recipe_of, small_recipe
from tests.networks import random_inputs, sentences

ENTITIES = "entities.txt"
VOCABULARIES = {"bpe": 320, "unigram": 160, "wordpiece": 80, "word": 40}  # words have parts
SHORT = ["training.steps=2", "training.batch_examples=4", "training.valid_steps=2"]
VALUES: dict[str, list[Any]] = {  # where no usual number is another value
    "objective.cutoffs": [[5, 12]],
    "objective.entities": [ENTITIES],
    "objective.generator_layers": [1],
    "backbone.global_every": [3],
    "textcnn: backbone.widths": [[2]],
    "elmo: backbone.widths": [[7, 2, 3, 4, 5, 6]],
    "elmo: backbone.features": [[8, 8, 8, 8, 8, 8]],
    "encoder_decoder: backbone.num_decoder_layers": [1],
    "training.epochs": [0.1],
    "training.precision": ["bf16"],
    "training.checkpoint_seconds": [0],
    "training.valid_steps": [1],
}
LOCAL = ["backbone.global_every=2"]
ADAPTIVE = ["objective.softmax=adaptive"]
UNTIED = ["objective.tied=false"]
RISING = ["training.learning_rate=9.0", "training.steps=4", "training.valid_steps=1"]
OFTEN = ["training.checkpoint_seconds=0"]
BESIDE: dict[str, list[str]] = {  # what a setting needs beside it
    "objective.cutoffs": ADAPTIVE,
    "objective.div_value": ADAPTIVE,
    "objective.max_ngram": ["objective.whole_words=true"],
    "objective.pair_sentences": ["objective.next_sentence=true"],
    "objective.random_token_rate": ["objective.mask_token_rate=0.5"],
    "objective.first_frequencies": UNTIED,
    "span_corruption: objective.tied": ["objective.first_frequencies=false"],
    "backbone.embedding_dim": UNTIED,
    "backbone.sinusoids": ["backbone.positions=sinusoidal"],
    "backbone.rotary_base": ["backbone.positions=rotary"],
    **{
        f"{backbone}: backbone.{name}": ["backbone.positions=relative"]
        for backbone in ("transformer", "encoder_decoder")
        for name in ("num_buckets", "max_distance")
    },
    "backbone.global_every": [*LOCAL, "backbone.local_window=2", "backbone.num_layers=3"],
    "backbone.local_window": LOCAL,
    "backbone.local_rotary_base": [*LOCAL, "backbone.positions=rotary"],
    "backbone.convolution_activation": ["backbone.convolution_width=3"],
    **{
        f"{backbone}: backbone.{name}": ["backbone.characters=cnn"]
        for backbone in ("lookup", "recurrent", "textcnn", "reader")
        for name in ("character_dim", "character_features")
    },
    "backbone.bigram_dim": ["backbone.bigrams=50"],
    "seq2seq: backbone.context": ["backbone.attention=none"],
    "recurrent: backbone.vector_size": UNTIED,
    "recurrent: backbone.dim": UNTIED,
    "recurrent: backbone.attention": [*UNTIED, "backbone.bidirectional=false"],
    "training.epochs": ["training.steps=none", "training.epochs=0.3"],
    "training.batch_tokens": ["training.batch_examples=32"],
    "training.patience": RISING,
    "training.keep": RISING,
    "training.checkpoints_kept": OFTEN,
    "training.short_row_rate": ["objective.next_sentence=false"],
}
OTHER_PAIRS = {"causal_lm: objective.carry_state": ("causal_lm", "recurrent")}
OF_WORDS = ("lookup", "recurrent", "textcnn", "reader")
ALONE = {  # what tasks let a backbone read, and no objective does
    f"{backbone}: backbone.{name}"
    for backbone in OF_WORDS
    for name in ("characters", "character_dim", "character_features", "bidirectional")
}
ONE_VALUE = "0 is its only value"
NOT_LEFT = "what reads from the left alone refuses it; textcnn has the same setting"
SAME = "the results are the same, only time or memory are not"
ELSEWHERE: dict[str, str] = {  # what two steps on a CPU cannot show, with the reason
    "objective.words": "auto is one of the other two here; see tests/objectives/test_masking.py",
    "backbone.pooler_activation": "read by heads of tasks; see tests/interop/test_electra.py",
    "lookup: backbone.bigrams": NOT_LEFT,
    "lookup: backbone.bigram_dim": NOT_LEFT,
    "recurrent: backbone.bigrams": NOT_LEFT,
    "recurrent: backbone.bigram_dim": NOT_LEFT,
    "reader: backbone.num_segments": ONE_VALUE,
    "encoder_decoder: backbone.num_segments": ONE_VALUE,
    "training.budget_seconds": "the clock decides; see tests/training/test_schedule.py",
    "training.frozen_states_gb": f"{SAME}; see tests/training/test_frozen_states.py",
    "training.gradient_checkpointing": f"{SAME}; see tests/backbones/test_capabilities.py",
    "training.compile": "minutes; see tests/training/test_compiled.py",
    "training.sharding": "one process has all; see tests/training/test_processes.py",
    "training.device": "auto is the CPU where there is no other device",
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    (folder / "entities.txt").write_text("happy dog\nthe morning\n", encoding="utf-8")
    path = folder / "animals.txt"
    path.write_text(sentences(40), encoding="utf-8")
    return path


def stated(table: Mapping[str, Any], pair: Pair, setting: str) -> Any:
    """What a table says of a setting: of one objective or backbone, or of all."""
    return found_in(table, (pair.objective, pair.backbone), setting)


@cache
def first_pair(objective: str | None, backbone: str | None) -> Pair:
    return next(
        pair
        for pair in LAWFUL
        if (objective is None or pair.objective == objective)
        and (backbone is None or pair.backbone == backbone)
    )


def cases() -> Iterator[tuple[Pair, str]]:
    """A pair, and a section of it whose settings are tried."""
    for objective in dict.fromkeys(pair.objective for pair in LAWFUL):
        yield first_pair(objective, None), "objective"
    for backbone in dict.fromkeys(pair.backbone for pair in LAWFUL):
        yield first_pair(None, backbone), "backbone"
    yield first_pair("masked_lm", "transformer"), "training"


def fields() -> Iterator[tuple[Pair, str, str]]:
    for pair, section in cases():
        for name in type(small_recipe(pair).parts[section].config).model_fields:
            if stated(ELSEWHERE, pair, f"{section}.{name}") is None:
                yield pair, section, name


@cache
def tokenizer_of(objective: str, texts: Path) -> SubwordTokenizer:
    """A tokenizer that knows the words of the texts."""
    kind, config = Recipe.load(recipe_of(objective)).parts["tokenizer"]
    settings = {**config.model_dump(), "vocab_size": VOCABULARIES[str(kind)]}
    return learn_subwords(str(kind), settings, Corpus(texts))


_tokens: dict[tuple[str, str], Tokens] = {}


def tokens_for(recipe: Recipe, pair: Pair, texts: Path) -> Tokens:
    """The texts as ids, with the marks that the objective needs."""
    tokenizer = tokenizer_of(pair.objective, texts)
    rules = objective_class(recipe).text_rules
    segmenter = rules.segmenter(recipe.parts["objective"].config, tokenizer)
    mark = "" if segmenter is None else segmenter.fingerprint
    if (pair.objective, mark) not in _tokens:
        folder = texts.parent / f"{pair.objective}-{mark[:8]}"
        _tokens[pair.objective, mark] = write_tokens(
            Corpus(texts), tokenizer, folder, valid_rate=0.2, segmenter=segmenter
        )
    return _tokens[pair.objective, mark]


def observed(recipe: Recipe, pair: Pair, texts: Path, folder: Path) -> str:
    """All that a short training shows, as a digest."""
    tokens, tokenizer = tokens_for(recipe, pair, texts), tokenizer_of(pair.objective, texts)
    part = recipe.parts["objective"]
    _, note = objective_class(recipe).text_rules.possible(part.config, [tokens.train, tokens.valid])
    if note is not None:  # a setting that this text does not allow
        raise SettingError(note)
    model = build_model(recipe, tokenizer)
    examples = model.objective.examples(tokens.train)
    held_out = HeldOutLoss(model.objective.examples(tokens.valid, held_out=True), 8)
    model.objective.begin(model.backbone, examples)
    shown = [repr(model), *weights(model)]
    context = RunContext(folder, checkpoints=Checkpoints(folder / "checkpoints"))
    records = fit(model, examples, training_config(recipe), context, held_out)
    shown += [json.dumps([without_times(each) for each in records]), *weights(model)]
    return digest([*shown, *names_in(folder)])


def states_alone(recipe: Recipe) -> str:
    """What a backbone makes of words with their spelling, as a digest."""
    torch.manual_seed(0)
    shape = recipe.parts["backbone"]
    backbone = BACKBONES.resolve(str(shape.name)).build(shape.config, 40, num_characters=20)
    inputs = random_inputs(40, characters=torch.randint(1, 20, (3, 12, 5)))
    states = backbone.eval()(inputs).last
    return digest([repr(backbone), *weights(backbone), str(states.tolist())])


def without_times(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if "loss" in name or name == "step"}


def names_in(folder: Path) -> list[str]:
    """Which files a training keeps; those of TensorBoard have the time in their names."""
    return sorted(
        "events" if "events" in path.name else str(path.relative_to(folder))
        for path in folder.rglob("*")
    )


def weights(model: torch.nn.Module) -> list[str]:
    return [
        f"{name} {tuple(value.shape)} {hashlib.sha256(value.detach().float().numpy()).hexdigest()}"
        for name, value in model.state_dict().items()
    ]


@cache
def usual(pair: Pair, beside: tuple[str, ...], texts: Path, is_alone: bool) -> str:
    return shown(pair, beside, texts, is_alone)


def shown(pair: Pair, settings: tuple[str, ...], texts: Path, is_alone: bool) -> str:
    recipe = small_recipe(pair, *SHORT, *settings)
    if is_alone:
        return states_alone(recipe)
    with TemporaryDirectory(dir=texts.parent) as folder:
        return observed(recipe, pair, texts, Path(folder))


def written(setting: str, value: Any, texts: Path) -> str:
    """As a command line gives it; a file stands beside the texts."""
    if value == ENTITIES:
        value = str(texts.with_name(ENTITIES))
    return f"{setting}={value}" if isinstance(value, str) else f"{setting}={json.dumps(value)}"


FIELDS = [*fields()]
QUICK = covering(FIELDS, lambda field: {field[1:]})  # each name of a setting once


@pytest.mark.parametrize("field", quick_if(FIELDS, QUICK, lambda field: " ".join(map(str, field))))
def test_a_changed_setting_is_obeyed(field: tuple[Pair, str, str], texts: Path) -> None:
    pair, section, name = field
    setting = f"{section}.{name}"
    pair = first_pair(*(stated(OTHER_PAIRS, pair, setting) or pair[:2]))
    beside = (*(stated(BESIDE, pair, setting) or ()),)
    is_alone = bool({setting, f"{pair.backbone}: {setting}"} & ALONE)
    config = small_recipe(pair, *SHORT, *beside).parts[section].config

    def changed(value: Any) -> str:
        return shown(pair, (*beside, written(setting, value, texts)), texts, is_alone)

    assert_obeyed(
        f"{pair}: {setting}",
        stated(VALUES, pair, setting) or others(config, name),
        usual(pair, beside, texts, is_alone),
        changed,
    )


@pytest.mark.parametrize("table", [VALUES, BESIDE, OTHER_PAIRS, ELSEWHERE], ids=len)
def test_the_tables_name_settings_that_are_there(table: dict[str, Any]) -> None:
    there = set()
    for pair, section in cases():
        for name in type(small_recipe(pair).parts[section].config).model_fields:
            setting = f"{section}.{name}"
            owner = pair.objective if section == "objective" else pair.backbone
            there |= {setting, f"{owner}: {setting}"}
    assert not table.keys() - there


def test_the_tests_are_there_that_show_the_others() -> None:
    assert not missing_tests(ELSEWHERE.values())
