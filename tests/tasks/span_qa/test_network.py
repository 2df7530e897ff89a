from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from foretext.backbones.pair_reader import PairReader
from foretext.base.errors import CorpusError, SettingError
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import Answer, Question
from foretext.heads.base import TaskBase
from foretext.heads.span_qa import SpanHead
from foretext.progress.run_context import RunContext
from foretext.tasks.span_qa.network import SpanReader
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from tests.networks import ANIMALS, TIMES, bert, gpt

Logits = dict[int, tuple[float, float]]  # of some positions of a row; 0 elsewhere

CONTEXT = "the dog barks . the cat purrs . the cow moos . the hen clucks ."  # 16 tokens
HEAD = 4  # positions of [CLS] a dog [SEP]


def asked(context: str, *answers: str, question: str = "a dog") -> Question:
    found = tuple(Answer(text, context.find(text) if text in context else None) for text in answers)
    return Question("q", question, context, found, "", "a.json:q")


ANSWERED, UNANSWERABLE = asked(CONTEXT, "cow moos"), asked(CONTEXT)


def reader(tokenizer: SubwordTokenizer, rows: Sequence[Question], **settings: object) -> SpanReader:
    torch.manual_seed(0)
    body = TaskBase(tokenizer, bert(tokenizer).backbone, "full")
    return SpanReader.begin(body, SpanHead.Config(**settings), rows)


def tell(monkeypatch: pytest.MonkeyPatch, model: SpanReader, *rows: Logits) -> None:
    """Let these logits stand for what the network would say of each row."""

    def outputs(examples: PaddedExamples) -> list[NDArray[np.float32]]:
        whole = [np.full((length, 2), -9, np.float32) for length in examples.rows.lengths]
        for output, given in zip(whole, rows, strict=True):
            for position, values in given.items():
                output[position] = values
        return whole

    monkeypatch.setattr(model, "outputs", outputs)


def test_rows_that_overlap_and_their_spans(wordpiece: SubwordTokenizer) -> None:
    rows = [ANSWERED, asked(CONTEXT, "hen clucks"), UNANSWERABLE]
    settings = {"max_length": 16, "stride": 4, "shared_tokens": False}
    examples = reader(wordpiece, rows, **settings).examples(rows)
    text, special = wordpiece.encode(CONTEXT), wordpiece.special
    head = [special.cls, *wordpiece.encode("a dog"), special.sep]
    assert [examples.rows[row].tolist() for row in range(3)] == [
        [*head, *text[at : at + 11], special.sep] for at in (0, 4, 8)
    ]
    assert examples.targets["span"].tolist() == [
        *([13, 14], [9, 10], [5, 6]),
        *([0, 0], [13, 14], [9, 10]),
        *([0, 0], [0, 0], [0, 0]),
    ]
    inputs = examples.batch(np.arange(3)).inputs
    assert inputs.segments is not None
    assert inputs.segments.tolist() == [
        [0] * HEAD + [1] * 12,
        [0] * HEAD + [1] * 12,
        [0] * HEAD + [1] * 9 + [0] * 3,
    ]


def test_what_question_and_window_share_is_told(wordpiece: SubwordTokenizer) -> None:
    rows = [ANSWERED]  # about "a dog", which stands in the first window alone
    model = reader(wordpiece, rows, max_length=16, stride=4, shared_tokens=True)
    examples = model.examples(rows)
    assert len(examples) == 3
    assert examples.shared is not None
    told = [np.flatnonzero(examples.shared[row]).tolist() for row in range(3)]
    assert told == [[2, HEAD + 1], [], []]
    kept = reader(
        wordpiece, rows, max_length=16, stride=4, shared_tokens=True, keep_empty_windows=False
    ).examples([asked(CONTEXT, "hen clucks")])
    assert kept.shared is not None
    assert kept.shared.lengths.tolist() == kept.rows.lengths.tolist()
    assert len(kept) == 2


def test_passages_that_take_several_windows_are_counted(wordpiece: SubwordTokenizer) -> None:
    model = reader(wordpiece, [ANSWERED], max_length=16)
    assert model.num_cut([ANSWERED, asked("the dog barks"), UNANSWERABLE]) == 2
    assert model.num_cut([]) == 0


def test_windows_without_their_answer_may_be_left_out(wordpiece: SubwordTokenizer) -> None:
    rows = [asked(CONTEXT, "hen clucks"), UNANSWERABLE]
    model = reader(wordpiece, rows, max_length=16, stride=4, keep_empty_windows=False)
    spans = model.examples(rows).targets["span"]
    assert spans.tolist() == [[13, 14], [9, 10], [0, 0], [0, 0], [0, 0]]


def test_questions_whose_answer_stands_nowhere_are_left_out(wordpiece: SubwordTokenizer) -> None:
    rows = [ANSWERED, asked(CONTEXT, "the pig")]
    model = reader(wordpiece, rows)
    assert len(model.examples(rows)) == 1
    assert [model.knows(row) for row in (*rows, UNANSWERABLE)] == [True, False, True]
    assert not model.may_abstain
    second = asked(CONTEXT, "the pig", "cow")  # the first answer that has a place is learned
    assert model.examples([second]).targets["span"].tolist() == [[HEAD + 9, HEAD + 9]]


def test_nothing_to_learn_from(wordpiece: SubwordTokenizer) -> None:
    with pytest.raises(CorpusError, match="None of the 2 questions to learn from has an answer"):
        SpanReader.task.find([UNANSWERABLE, asked(CONTEXT, "the pig")])
    model = reader(wordpiece, [ANSWERED], max_length=16, keep_empty_windows=False)
    long = asked(CONTEXT, CONTEXT)
    with pytest.raises(CorpusError, match="None of 1 questions can be learned from: no row of max"):
        model.examples([long])


def test_a_model_that_sees_to_the_left_reads_the_question_first(
    byte_bpe: SubwordTokenizer,
) -> None:
    body = TaskBase(byte_bpe, gpt(byte_bpe).backbone, "causal")
    row = asked("the dog barks", "barks", question="cat")
    examples = SpanReader.begin(body, SpanHead.Config(), [row]).examples([row])
    end, question, text = byte_bpe.special.end, *map(byte_bpe.encode, (row.question, row.context))
    assert examples.rows[0].tolist() == [*question, end, *text]
    ((first, last),) = examples.targets["span"].tolist()
    assert byte_bpe.decode(examples.rows[0][first : last + 1].tolist()).strip() == "barks"


def test_a_long_question_takes_half_a_row_at_most(wordpiece: SubwordTokenizer) -> None:
    row = asked(CONTEXT, "cow moos", question=CONTEXT)
    examples = reader(wordpiece, [row], max_length=16).examples([row])
    assert wordpiece.special.sep == examples.rows[0][7]  # 13 positions hold text
    short = reader(wordpiece, [row], max_question_length=2).examples([row])
    assert wordpiece.special.sep == short.rows[0][3]


def test_the_best_spans_of_all_windows_are_merged(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = reader(wordpiece, [ANSWERED], max_length=16, stride=4, num_best=2, max_answer_length=2)
    tell(
        monkeypatch,
        model,
        {0: (1, 1), 1: (9, 9), HEAD + 9: (2, -9), HEAD + 10: (-9, 3), 15: (9, 9)},
        {0: (2, 2), HEAD + 5: (4, -9), HEAD + 6: (-9, 3)},  # the same span
        {0: (0, 1), HEAD + 5: (3, -9), HEAD + 6: (-9, 3), HEAD + 7: (-9, 5)},
    )
    ((best, second),) = model.predict_top([ANSWERED])
    assert (best.text, best.start, best.end) == ("cow moos", 36, 44)
    assert (second.text, second.start, second.end) == ("hen clucks", 51, 61)  # no third token
    assert [best.probability, second.probability] == pytest.approx(
        np.exp([7, 6]) / np.exp([7, 6]).sum()
    )
    assert best.no_answer_margin == 1 - 7  # of the window in which no answer scores lowest
    assert model.predict([(ANSWERED.question, CONTEXT)]) == ["cow moos"]
    assert model.predict_proba([ANSWERED]) == pytest.approx([best.probability])


def test_no_answer_where_it_is_better_by_the_threshold(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [ANSWERED, UNANSWERABLE, asked(CONTEXT, "dog")]
    model = reader(wordpiece, rows)
    found = {HEAD + 9: (3.0, -9.0), HEAD + 10: (-9.0, 3.0)}  # cow moos
    tell(monkeypatch, model, {0: (4, 3), **found}, {0: (5, 4), **found}, {0: (1, 1), **found})
    assert model.predict(rows) == ["", "", "cow moos"]
    figures = model.figures(rows)
    assert figures["f1"] == pytest.approx(1 / 3)
    assert (figures["f1_answered"], figures["f1_unanswerable"]) == (0, 1)
    assert figures["answerable_rate"] == pytest.approx(2 / 3)
    assert figures["answered_rate"] == pytest.approx(1 / 3)
    assert (figures["best_f1"], figures["best_null_threshold"]) == (pytest.approx(2 / 3), 2)

    assert model.find_threshold(rows) == 2  # between the margins 1 and 3
    assert model.facts() == {"temperature": 1, "null_threshold": 2}
    first, second, _ = model.answers(rows)
    assert (first.text, first.no_answer_margin) == ("cow moos", 1)
    assert second == ("", None, None, second.probability, 3)
    assert second.probability == pytest.approx(1 / (1 + np.exp(-3)), abs=1e-4)
    # what is chosen stands first, though no answer is more probable
    assert [answer.text for answer in model.predict_top(rows, 2)[0]] == ["cow moos", ""]


def test_a_model_that_always_answers(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = reader(wordpiece, [ANSWERED])
    tell(monkeypatch, model, {0: (9, 9), HEAD + 1: (1, 1)})
    assert model.predict([UNANSWERABLE]) == ["dog"]
    assert "best_f1" not in model.figures([ANSWERED])
    with pytest.raises(SettingError, match="answers every question"):
        model.find_threshold([ANSWERED])


def test_a_passage_without_tokens_has_no_answer(wordpiece: SubwordTokenizer) -> None:
    model = reader(wordpiece, [ANSWERED])
    (answer,) = model.answers([("a dog", " ")])
    assert answer == ("", None, None, 1.0, float("inf"))
    assert model.predict([]) == []
    assert model.predict_proba([]).shape == (0,)


def test_pairs_are_pairs(wordpiece: SubwordTokenizer) -> None:
    model = reader(wordpiece, [ANSWERED])
    for wrong in (["a dog", CONTEXT], ANSWERED, "a dog", [("a dog",)], None):
        with pytest.raises(CorpusError, match="pairs"):
            model.predict(wrong)
    for verb in (model.predict, model.answers, model.predict_proba, model.predict_top):
        alone, among_others = verb(("a dog", CONTEXT)), verb([("a dog", CONTEXT)])
        assert alone == among_others[0]


def word_reader(rows: Sequence[Question], **settings: object) -> SpanReader:
    """A reader of pairs over the words of rows."""
    torch.manual_seed(0)
    texts = SpanReader.task.texts(rows)
    config = WordTokenizer.Config(min_count=1, **texts.word_settings())
    tokenizer = WordTokenizer.learn(config, texts)
    shape = PairReader.Config(vector_size=16, dim=16, dropout=0.0, layer_dropout=0.0)
    base = TaskBase(tokenizer, PairReader(shape, tokenizer.vocab_size), "full")
    return SpanReader.begin(base, SpanHead.Config(**settings), rows)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("In the U.S. (as in Canada), it cost $3.50 then.", "$3.50"),
        ("In the U.S. (as in Canada), it cost $3.50 then.", "(as in Canada)"),
        ("He said: “Don't go!” — and went.", "Don't go!"),
        ("İstanbul, a CITY\u3000of 15 million;naïve", "15 million"),
        ("鲁迅（1881年－1936年），原名周树人。", "1881年－1936年"),
        ("鲁迅（1881年－1936年），原名周树人。", "周树人"),
    ],
)
def test_answers_of_words_are_cut_at_their_characters(
    context: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is learned as an answer is the answer that is given, to the character."""
    row = asked(context, answer, question="what?")
    model = word_reader([row])
    start, end = model.examples([row]).targets["span"][0]
    tell(monkeypatch, model, {start: (3, -9), end: (-9, 3)} if start < end else {start: (3, 3)})
    assert model.predict([row]) == [answer]
    assert model.figures([row])["exact_match"] == 1.0


def test_a_question_without_words_leaves_a_position_for_no_answer() -> None:
    row = asked("a dog", "a dog", question=" ")
    model = word_reader([row, asked("a dog", question="who")])
    examples = model.examples([row])
    assert examples.rows[0].tolist() == [model.base.pad, *model.base.tokenizer.encode("a dog")]
    assert examples.targets["span"].tolist() == [[1, 2]]
    assert examples.batch(np.array([0])).inputs.segments.tolist() == [[0, 1, 1]]
    assert len(model.answers([(" ", " ")])) == 1


def test_over_words_it_learns_to_find_what_the_question_asks_for(tmp_path: Path) -> None:
    """A passage has a time for each animal, so that the question alone tells them apart."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(300):
        animals, times = rng.permutation(ANIMALS)[:3], rng.permutation(TIMES)[:3]
        pairs = list(zip(animals, times, strict=True))
        context = ", ".join(f"{animal}: {time}" for animal, time in pairs)
        animal, time = pairs[rng.integers(3)]
        rows.append(asked(context, str(time), question=f"when is the {animal}?"))
    model = word_reader(rows)
    assert model.figures(rows[:40])["f1"] < 0.6
    training = TrainingConfig(steps=120, batch_examples=16, learning_rate=1e-2)
    fit(
        Model(model.base.backbone, model.head),
        model.examples(rows[40:]),
        training,
        RunContext(tmp_path),
    )
    assert model.figures(rows[:40])["f1"] > 0.9


def test_chinese_is_measured_by_characters(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = asked("北京大学在北京。", "北京大学", question="大学在哪")
    model = reader(wordpiece, [row])
    start = 6  # behind [CLS], a question of four characters, and [SEP]
    tell(monkeypatch, model, {start: (3, -9), start + 1: (-9, 3)})
    assert model.predict([row]) == ["北京"]
    assert model.figures([row])["f1"] == pytest.approx(2 * 2 / (2 + 4))
    english = reader(wordpiece, [row], language="english")
    tell(monkeypatch, english, {start: (3, -9), start + 1: (-9, 3)})
    assert english.figures([row])["f1"] == 0


def test_learns_to_find_the_animal(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(200):
        animal = str(rng.choice(ANIMALS))
        words = [*rng.choice(TIMES, rng.integers(1, 6)), animal, *rng.choice(TIMES, 2)]
        rows += [asked(" ".join(words), animal), asked(" ".join(rng.choice(TIMES, 6)))]
    model = reader(wordpiece, rows)
    assert model.figures(rows[:40])["f1"] < 0.6
    training = TrainingConfig(steps=80, batch_examples=16, learning_rate=5e-3)
    network = Model(model.base.backbone, model.head)
    fit(network, model.examples(rows[40:]), training, RunContext(tmp_path))
    figures = model.figures(rows[:40])
    assert figures["f1_answered"] > 0.9
    assert figures["f1_unanswerable"] > 0.9
