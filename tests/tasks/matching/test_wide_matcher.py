"""A head that reads which words two texts have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import ForetextError, SettingError
from foretext.data.rows import LabelledPair
from foretext.heads.base import TaskBase
from foretext.heads.matching import MatchingHead
from foretext.metrics import softmax
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.matching.network import TextMatcher
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import TIMES
from tests.text_bodies import bert_body, gpt_body, pair, silent, word_body

PAIRS = [("the dog barks", "the dog purrs ."), ("a hen", "no 5 cats"), ("", "the hen clucks .")]
MODES = [
    ("bert", "pair"),
    ("bert", "siamese"),
    ("gpt", "both_orders"),
    ("textcnn", "siamese"),
    ("reader", "pair"),
]


def alike(number: int = 40, names: tuple[str, ...] = ("no", "yes")) -> list[LabelledPair]:
    """Pairs of texts that have the same animal, or another one, or no word in common."""
    rows = []
    for row in range(number):
        time, kind = TIMES[row // 3 % len(TIMES)], row % len(names)
        other = ("a cat", f"the dog in the {time}", "a dog .")[kind]
        rows.append(pair(f"the dog in the {time} .", other, names[kind], row + 1))
    return rows


def wide(body: TaskBase, rows: list[LabelledPair] | None = None, **settings: Any) -> TextMatcher:
    torch.manual_seed(0)
    chosen = {"word_features": "overlap", "max_length": 32, "dropout": 0.0, **settings}
    model = TextMatcher.begin(body, MatchingHead.Config(**chosen), rows or alike())
    model.answering({"precision": "fp32"})
    return model


def baseline_of(rows: list[LabelledPair]) -> LinearMatcher:
    return LinearMatcher().fit_rows(rows)


@pytest.mark.parametrize(("kind", "mode"), MODES)
@pytest.mark.parametrize("names", [("no", "yes"), ("far", "near", "other")])
def test_a_network_that_says_nothing_answers_as_the_baseline(
    wordpiece: SubwordTokenizer,
    byte_bpe: SubwordTokenizer,
    kind: str,
    mode: str,
    names: tuple[str, ...],
) -> None:
    bodies = {"bert": lambda: bert_body(wordpiece), "gpt": lambda: gpt_body(byte_bpe)}
    body = bodies.get(kind, lambda: word_body(kind))()
    rows = alike(names=names)
    model = silent(wide(body, rows, mode=mode))
    expected = baseline_of(rows).predict_proba(PAIRS)
    np.testing.assert_allclose(model.predict_proba(PAIRS), expected, atol=1e-4)
    assert list(model.classes_) == list(names)


@pytest.mark.parametrize(("kind", "mode"), MODES)
def test_both_are_added(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer, kind: str, mode: str
) -> None:
    bodies = {"bert": lambda: bert_body(wordpiece), "gpt": lambda: gpt_body(byte_bpe)}
    make = bodies.get(kind, lambda: word_body(kind))
    model, alone = wide(make(), mode=mode), wide(make(), mode=mode, word_features="none")
    alone.base.backbone.load_state_dict(model.base.backbone.state_dict())
    alone.head.load_state_dict(
        {name: w for name, w in model.head.state_dict().items() if "words" not in name}
    )
    with torch.no_grad():
        assert model.head.words is not None
        model.head.words.scale.fill_(0.5)
    words = np.log(baseline_of(alike()).predict_proba(PAIRS))
    expected = softmax(np.log(alone.predict_proba(PAIRS)) + 0.5 * words)
    np.testing.assert_allclose(model.predict_proba(PAIRS), expected, atol=1e-4)


def test_held_out_rows_weigh_network_and_words() -> None:
    rng = np.random.default_rng(0)
    rows = [row._replace(label=str(rng.choice(["no", "yes"]))) for row in alike(60)]
    model, held_out = wide(word_body("textcnn"), rows), alike(60)
    for place in range(0, 60, 4):  # wrong ones, or no weight would be large enough
        held_out[place] = held_out[place]._replace(label=("yes", "no")[place % 2])
    [note] = model.finish(held_out)
    assert "held-out rows weigh the network by" in note
    right = np.array([row.label == "yes" for row in held_out]).astype(int)
    pairs = [(row.text_a, row.text_b) for row in held_out]

    def loss() -> float:
        return float(-np.log(model.predict_proba(pairs)[np.arange(60), right]).mean())

    best = loss()
    assert model.head.words is not None
    with torch.no_grad():
        for change in (1.1, 0.8):
            model.head.words.scale.mul_(change)
            assert loss() >= best - 1e-6
            model.head.words.scale.div_(change)
    assert model.finish(held_out[:20]) == []  # two weights want more rows
    assert wide(word_body("textcnn"), word_features="none").finish(held_out) == []


@pytest.mark.parametrize("kind", ["bert", "textcnn"])
def test_the_folder_keeps_the_words(wordpiece: SubwordTokenizer, tmp_path: Path, kind: str) -> None:
    model = wide(bert_body(wordpiece) if kind == "bert" else word_body(kind))
    with torch.no_grad():
        assert model.head.words is not None
        model.head.words.scale.fill_(1.5)
    model.save(tmp_path)
    kept: Any = ft.load(tmp_path)
    kept.answering({"precision": "fp32"})
    np.testing.assert_allclose(kept.predict_proba(PAIRS), model.predict_proba(PAIRS), atol=1e-6)
    assert kept.head.found["pair_words"] == "unicode_words"
    config = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(config.replace("unicode_words", "os.system"))
    with pytest.raises(ForetextError, match=r"os\.system"):
        ft.load(tmp_path)


def test_scores_are_refused() -> None:
    rows = [row._replace(label=None, score=float(place)) for place, row in enumerate(alike())]
    config = MatchingHead.Config(word_features="overlap")
    with pytest.raises(SettingError, match=r"\[task\] word_features would have no effect on"):
        TextMatcher.begin(word_body("textcnn"), config, rows)


def test_what_words_add_is_in_the_base_of_an_explanation(wordpiece: SubwordTokenizer) -> None:
    found = wide(bert_body(wordpiece)).explain(PAIRS[0], method="gradient")
    total = sum(word.weight for word in found.words)
    assert total == pytest.approx(found.value - found.base, abs=0.02)
