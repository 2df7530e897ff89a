"""The matcher in use: it learns in every mode, from labels and from scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import LabelledPair, PairsConfig
from foretext.heads.base import TaskBase
from foretext.heads.matching import MatchingHead
from foretext.tasks.matching.network import TextMatcher
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import TIMES
from tests.text_bodies import bert_body, gpt_body, learn, pair, word_body

PAIRS = [("the dog barks", "every cat purrs again ."), ("a hen", "the hen clucks in the noon .")]
LONG = "the dog barks in the morning . every cat purrs again . " * 6


def matcher(body: TaskBase, rows: list[LabelledPair], **settings: Any) -> Any:
    torch.manual_seed(0)
    config = MatchingHead.Config(**{"max_length": 32, "dropout": 0.0, **settings})
    return TextMatcher.begin(body, config, rows)


def sharp(body: TaskBase, **settings: Any) -> Any:
    """One whose answers differ without learning."""
    model = matcher(body, which_first(), **settings)
    with torch.no_grad():
        model.head.classifier.weight.mul_(50)
    return model


def which_first(number: int = 32) -> list[LabelledPair]:
    """Whether the first text or the second one has the dog in it."""
    rows = []
    for row in range(number):
        time = TIMES[row // 2 % len(TIMES)]
        texts = f"the dog in the {time} .", f"the cat in the {time} ."
        a, b = texts if row % 2 else texts[::-1]
        rows.append(pair(a, b, ("second", "first")[row % 2], row + 1))
    return rows


def whether_a_dog(number: int = 32) -> list[LabelledPair]:
    """Whether either text has a dog in it."""
    rows = []
    for row in range(number):
        time = TIMES[row // 2 % len(TIMES)]
        animal = "dog" if row % 2 else "hen"
        rows.append(pair(f"the {animal} in the {time} .", "the cat .", ("no", "yes")[row % 2]))
    return rows


def likeness() -> list[LabelledPair]:
    """5 where both texts are about one animal, 1 where they are not, 3 where one has none."""
    texts = {animal: f"the {animal} ." for animal in ("dog", "cat", "hen")}
    rows = [
        pair(a, b, 5.0 if one == other else 1.0)
        for one, a in texts.items()
        for other, b in texts.items()
    ]
    return [*rows, *(pair(text, "in the noon .", 3.0) for text in texts.values())]


def test_a_pair_in_one_row_is_learned(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    rows = which_first()
    model = matcher(bert_body(wordpiece), rows)
    learn(model, rows, tmp_path, steps=60, learning_rate=5e-3)
    assert model.figures(rows)["accuracy"] == 1.0
    assert model.predict([("the cat in the noon .", "the dog in the noon .")]).tolist() == [
        "second"
    ]


@pytest.mark.slow
def test_what_both_texts_share_is_learned_when_it_is_told(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    """Whether both are about one animal, of two that were never seen together in a row."""
    animals = ("dog", "cat", "hen", "cow", "pig")
    every = [(one, other) for one in (*animals, "owl") for other in (*animals, "owl")]
    rows = [
        pair(f"the {one} .", f"a {other} again", ("no", "yes")[one == other])
        for one, other in every
    ]
    seen = [row for row in rows if "owl" not in row.text_a + row.text_b] * 3
    seen += [row for row in seen if row.label == "yes"] * 3
    new = [row for row in rows if row not in seen]
    figures = {}
    for told in (True, False):
        model = matcher(bert_body(wordpiece), seen, shared_tokens=told)
        learn(model, seen, tmp_path / str(told), steps=80, learning_rate=3e-3)
        figures[told] = model.figures(new)["f1"]
    assert figures[True] == 1.0 > figures[False]


def test_both_orders_are_learned(byte_bpe: SubwordTokenizer, tmp_path: Path) -> None:
    rows = whether_a_dog()
    model = matcher(gpt_body(byte_bpe), rows, language_model_weight=0.1)
    learn(model, rows, tmp_path, steps=60, learning_rate=5e-3)
    assert model.figures(rows)["accuracy"] == 1.0


def test_both_orders_answer_alike_for_either(byte_bpe: SubwordTokenizer) -> None:
    model = sharp(gpt_body(byte_bpe))
    there, back = model.predict_proba(PAIRS), model.predict_proba([pair[::-1] for pair in PAIRS])
    np.testing.assert_allclose(there, back, atol=1e-6)
    one_order = sharp(gpt_body(byte_bpe), mode="pair")
    backwards = one_order.predict_proba([pair[::-1] for pair in PAIRS])
    assert np.abs(one_order.predict_proba(PAIRS) - backwards).max() > 1e-3


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["bert", "lookup", "recurrent"])
def test_siamese_texts_are_learned(wordpiece: SubwordTokenizer, tmp_path: Path, kind: str) -> None:
    rows = which_first()
    body = bert_body(wordpiece) if kind == "bert" else word_body(kind)
    model = matcher(body, rows, mode="siamese")
    learn(model, rows, tmp_path, steps=60, learning_rate=5e-3 if kind == "bert" else 5e-2)
    assert model.figures(rows)["accuracy"] == 1.0


def test_the_cosine_learns_scores(tmp_path: Path) -> None:
    rows = likeness()
    model = matcher(word_body("lookup"), rows, dropout=0.1, pooling="mean")
    learn(model, rows, tmp_path, steps=150, learning_rate=5e-2)
    figures = model.figures(rows)
    assert model.judged_by == "spearman"
    assert set(figures) == {"pairs", "pearson", "spearman", "mean_squared_error"}
    assert figures["spearman"] > 0.8
    same, other = model.predict([("the dog .", "the dog ."), ("the dog .", "the cat .")])
    assert same == pytest.approx(5.0, abs=0.1)
    assert other < 2.5


def test_a_linear_map_learns_scores(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    rows = [row._replace(label=None, score=10.0 if row.label == "yes" else -10.0)
            for row in whether_a_dog()]  # fmt: skip
    model = matcher(bert_body(wordpiece), rows)
    learn(model, rows, tmp_path, steps=60, learning_rate=5e-3)
    figures = model.figures(rows)
    given = np.array(model.predict([(row.text_a, row.text_b) for row in rows]))
    gold = np.array([row.score for row in rows])
    assert figures["mean_squared_error"] == pytest.approx(np.square(given - gold).mean())
    assert figures["mean_squared_error"] < 4
    assert figures["pearson"] > 0.95


@pytest.mark.parametrize("mode", ["pair", "both_orders", "siamese"])
@pytest.mark.parametrize("kind", ["bert", "gpt"])
def test_a_pair_is_answered_alike_whatever_stands_beside_it(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer, kind: str, mode: str
) -> None:
    body = bert_body(wordpiece) if kind == "bert" else gpt_body(byte_bpe)
    model = sharp(body, mode=mode, shared_tokens=False)
    pairs = [*PAIRS, ("", "hen"), (LONG, "a cat"), ("", "")]
    together = model.predict_proba(pairs)
    alone = np.concatenate([model.predict_proba([pair]) for pair in pairs])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together.sum(1), 1)
    assert np.ptp(together, axis=0).max() > 1e-3


def test_rows_of_a_pair_are_framed_as_in_pretraining(wordpiece: SubwordTokenizer) -> None:
    model = matcher(bert_body(wordpiece), which_first())
    rows = [pair("the dog .", "a hen", "first"), pair("cat", "cow", "second")]
    batch = model.examples(rows).batch(np.arange(2))
    special = wordpiece.special
    a, b = wordpiece.encode("the dog ."), wordpiece.encode("a hen")
    first = [special.cls, *a, special.sep, *b, special.sep]
    assert batch.inputs.ids[0].tolist() == first
    assert batch.inputs.segments[0].tolist() == [0] * (len(a) + 2) + [1] * (len(b) + 1)
    assert batch.inputs.token_mask.sum(1).tolist() == [len(first), 5]
    assert (batch.group, batch.targets["labels"].tolist()) == (1, [0, 1])


def test_both_orders_show_the_same_tokens(byte_bpe: SubwordTokenizer) -> None:
    model = matcher(gpt_body(byte_bpe), which_first())
    batch = model.examples([pair(LONG, "a hen", "first")]).batch(np.arange(1))
    there, back = batch.inputs.ids.tolist()
    end = byte_bpe.special.end
    assert batch.group == 2
    assert len(there) == 32
    parted = there.index(end), back.index(end)
    assert there[: parted[0]] == back[parted[1] + 1 :]
    assert there[parted[0] + 1 :] == back[: parted[1]] == byte_bpe.encode("a hen")


def test_scores_that_never_vary_agree_with_nothing(wordpiece: SubwordTokenizer) -> None:
    model = matcher(bert_body(wordpiece), likeness())
    with torch.no_grad():
        model.head.classifier.weight.zero_()
    figures = model.figures(likeness())
    assert figures["spearman"] == figures["pearson"] == 0.0
    assert figures["mean_squared_error"] == pytest.approx(5.0)  # all are taken for the lowest, 1


def test_pairs_that_are_cut_are_counted(wordpiece: SubwordTokenizer) -> None:
    rows = [*which_first(4), pair(LONG, "a cat", "first"), pair("a cat", LONG, "first")]
    assert matcher(bert_body(wordpiece), rows).num_cut(rows) == 2
    assert matcher(bert_body(wordpiece), rows, mode="siamese").num_cut(rows) == 2


def test_f1_is_that_of_the_last_of_two_labels(wordpiece: SubwordTokenizer) -> None:
    rows = whether_a_dog()
    model = matcher(bert_body(wordpiece), rows)
    figures = model.figures(rows)
    assert list(model.classes_) == ["no", "yes"]
    assert figures["f1"] == figures["labels"]["yes"]["f1"]
    assert model.judged_by == "accuracy"
    assert {"accuracy", "macro_f1", "calibration_error"} <= set(figures)
    three = [*rows, pair("a", "b", "maybe")]
    assert "f1" not in matcher(bert_body(wordpiece), three).figures(three)


def test_calibration_lowers_the_error(wordpiece: SubwordTokenizer) -> None:
    model = sharp(bert_body(wordpiece))
    rows = [row._replace(label=("first", "second")[line // 2 % 2])
            for line, row in enumerate(which_first())]  # fmt: skip
    pairs = [(row.text_a, row.text_b) for row in rows]
    before, answers = model.figures(rows), model.predict(pairs).tolist()
    assert model.calibrate(rows) > 1
    assert model.figures(rows)["calibration_error"] < before["calibration_error"]
    assert model.predict(pairs).tolist() == answers


def test_answers_of_pairs(wordpiece: SubwordTokenizer) -> None:
    model = sharp(bert_body(wordpiece))
    best = model.predict_top(PAIRS)
    assert [row[0][0] for row in best] == model.predict(PAIRS).tolist()
    assert model.predict([]).tolist() == []
    assert model.predict_proba([]).shape == (0, 2)
    assert [model.knows(pair("a", "b", label)) for label in ("first", "third")] == [True, False]


def test_a_file_is_read_and_measured(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("a\tb\tlikeness\nthe dog\ta dog\t4.5\nthe cat\ta hen\t0.5\na\tcat\t2\n")
    columns = PairsConfig(text_a="a", text_b="b", score="likeness")
    rows = TextMatcher.task.read(file, columns)
    model = matcher(bert_body(wordpiece), rows)
    assert model.head.found == {"lowest": 0.5, "highest": 4.5}
    assert model.evaluate(file, rows=columns) == model.figures(rows)
    assert model.knows(rows[0])


def test_errors_name_the_row(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    labels, scores = matcher(body, which_first()), matcher(body, likeness())
    with pytest.raises(CorpusError, match=r"pairs\.tsv:7: no row to learn from has the label 'x'"):
        labels.examples([pair("a", "b", "x", 7)])
    for verb in (labels.examples, labels.figures, labels.calibrate):
        with pytest.raises(CorpusError, match=r"pairs\.tsv:7: 0 labels, and the rows learned from"):
            verb([pair("a", "b", None, 7)])
    for verb in (scores.examples, scores.figures):
        with pytest.raises(CorpusError, match=r"pairs\.tsv:7: the row has no score"):
            verb([pair("a", "b", 2.0), pair("a", "b", None, 7)])
    with pytest.raises(CorpusError, match="needs at least two rows"):
        scores.figures(likeness()[:1])
    with pytest.raises(CorpusError, match="All rows to learn from have the score 2"):
        TextMatcher.task.find([pair("a", "b", 2.0), pair("b", "c", 2.0)])
    with pytest.raises(CorpusError, match="have 1 different labels"):
        TextMatcher.task.find([pair("a", "b", "x")])


def test_what_scores_do_not_have(wordpiece: SubwordTokenizer) -> None:
    model = matcher(bert_body(wordpiece), likeness())
    assert model.classes_.size == 0
    for verb in (model.predict_proba, model.predict_top, lambda _: model.calibrate(likeness())):
        with pytest.raises(SettingError, match="gives pairs scores, which have no probabilities"):
            verb(PAIRS)


@pytest.mark.parametrize("given", ["a text", ["two", "texts"], [("three", "texts", "here")]])
def test_only_pairs_are_answered(wordpiece: SubwordTokenizer, given: Any) -> None:
    model = matcher(bert_body(wordpiece), which_first(4))
    for verb in (model.predict, model.predict_proba, model.predict_top):
        with pytest.raises(CorpusError, match=r"pairs are expected|give two texts"):
            verb(given)


def test_relevance_is_the_probability_of_the_last_label_or_the_score(
    wordpiece: SubwordTokenizer,
) -> None:
    model = sharp(bert_body(wordpiece))
    shares = model.predict_proba(PAIRS)
    assert model.relevance(PAIRS).tolist() == shares[:, 1].tolist()
    odds = np.log(shares[:, 1] / shares[:, 0])
    assert model.relevance(PAIRS, raw=True) == pytest.approx(odds)
    scores = matcher(bert_body(wordpiece), likeness())
    assert scores.relevance(PAIRS, raw=True).tolist() == scores.predict(PAIRS).tolist()
    assert (scores.class_answers(PAIRS), model.class_answers(PAIRS).labels) == (
        None,
        ("first", "second"),
    )
    three = matcher(bert_body(wordpiece), [*which_first(4), pair("a", "b", "neither")])
    with pytest.raises(SettingError, match="this one has 3: first, neither, second"):
        three.relevance(PAIRS)
    assert ["rerank" in each.abilities for each in (model, scores, three)] == [True, True, False]
