"""A writer in use: outputs, scores, figures, sources that are too long, outputs that never end."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import foretext as ft
from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import ParallelText
from foretext.data.rows.in_memory import RowTexts
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.run import run_finetuning
from foretext.heads.base import TaskBase
from foretext.metrics.texts import bleu
from foretext.tasks.text_to_text.answers import TextAnswer, TextAnswers
from foretext.tasks.text_to_text.network import TextWriter
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss

WORDS = {"eins": "one", "zwei": "two", "drei": "three", "vier": "four"}
PAIRS = [
    (f"{a} {b} {b} {a}", f"{WORDS[a]} {WORDS[b]} {WORDS[b]} {WORDS[a]}")
    for a in WORDS
    for b in WORDS
]
SHAPE = {"dim": 32, "vector_size": 32, "dropout": 0.0}
SETTINGS: dict[str, dict[str, Any]] = {
    "backbone": SHAPE,
    "tokenizer": {"vocab_size": 290},
    "training": {"steps": 300, "learning_rate": 1e-2, "batch_tokens": 200, "precision": "fp32"},
    "task": {"max_length": 24, "judged_by": "loss"},
}


def learned(settings: dict[str, dict[str, Any]], **options: Any) -> TextWriter:
    merged = {name: {**SETTINGS.get(name, {}), **settings.get(name, {})} for name in SETTINGS}
    found = ft.finetune(
        "text_to_text", "gru-attention", PAIRS, settings=merged, quiet=True, **options
    )
    assert isinstance(found, TextWriter)
    return found


@pytest.fixture(scope="module")
def writer() -> TextWriter:
    return learned({}, valid=PAIRS[:6])


def rows_of(pairs: list[tuple[str, str]]) -> list[ParallelText]:
    return [ParallelText(*pair, f"a.tsv:{line}") for line, pair in enumerate(pairs, 1)]


def test_it_writes_what_it_has_learned(writer: TextWriter) -> None:
    assert writer.predict(["zwei drei drei zwei", "vier eins eins vier"]) == [
        "two three three two",
        "four one one four",
    ]
    assert writer.predict(["", "  "]) == ["", ""]
    assert writer.predict([]) == []


def test_the_best_outputs_come_first(writer: TextWriter) -> None:
    (found,) = writer.predict_top(["zwei drei drei zwei"], 3)
    scores = [each.score for each in found]
    assert found[0].text == "two three three two"
    assert len({each.text for each in found}) == 3
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    (record,) = writer.predictions(["zwei drei drei zwei"], k=2)
    assert [each["text"] for each in record["outputs"]] == [each.text for each in found[:2]]
    assert writer.shown(record).endswith("\tzwei drei drei zwei")
    (one,) = writer.predictions(["zwei drei drei zwei"])
    assert writer.shown(one) == "two three three two\tzwei drei drei zwei"
    assert json.dumps(one)


def t5_base(first_attention: str) -> TaskBase:
    """A small T5, as if it were pretrained."""
    torch.manual_seed(0)
    words = learn_subwords(
        "bpe",
        {"vocab_size": 290, "special_tokens": ["<pad>", "[UNK]", "</s>"]},
        RowTexts([text for pair in PAIRS for text in pair]),
    )
    shape: dict[str, Any] = {"num_layers": 1, "dim": 16, "num_heads": 2, "positions": "relative"}
    config = EncoderDecoder.Config(**shape, first_attention=first_attention)
    return TaskBase(words, EncoderDecoder(config, words.vocab_size), "causal")


def resolved(
    base: TaskBase, *, frozen: bool = False, pretrained: bool = True, **chosen: Any
) -> Any:
    """Whether cross-attention is drawn again, and the smoothing."""
    config = TextWriter.task.resolve(
        TextWriter.task.head_config(**chosen),
        base,
        rows_of(PAIRS),
        is_pretrained=pretrained,
        is_frozen=frozen,
    ).config
    return config.redraw_cross_attention, config.label_smoothing


def test_cross_attention_that_seeks_sentinels_is_drawn_again() -> None:
    base, published = t5_base("neighbours"), t5_base("random")
    assert resolved(base) == (True, 0.1)
    assert resolved(base, label_smoothing=0.0) == (True, 0.0)
    assert resolved(base, redraw_cross_attention=False) == (False, 0.0)
    assert resolved(base, frozen=True) == (False, 0.0)
    assert resolved(base, pretrained=False) == (False, 0.1)
    assert resolved(published) == (False, 0.0)
    assert resolved(published, redraw_cross_attention=True) == (True, 0.1)
    with pytest.raises(SettingError, match="redraw_cross_attention would have no effect"):
        resolved(base, pretrained=False, redraw_cross_attention=True)


def test_a_writer_keeps_the_cross_attention_that_it_learned_from_pairs() -> None:
    base = t5_base("neighbours")
    query = base.backbone.decoder.blocks[0].cross.attention.query.weight  # type: ignore[union-attr]
    before = query.detach().clone()
    kept = TextWriter.begin(base, TextWriter.task.head_config(), rows_of(PAIRS))
    assert torch.equal(query, before)
    assert resolved(kept.as_base()) == (False, 0.0)
    again = TextWriter.task.head_config(redraw_cross_attention=True)
    TextWriter.begin(base, again, rows_of(PAIRS))
    assert not torch.equal(query, before)


def test_greedy_and_drawn_outputs(writer: TextWriter) -> None:
    assert writer.predict(["vier drei drei vier"], num_beams=1) == ["four three three four"]
    drawn = [
        writer.predict(["vier drei drei vier"], temperature=3.0, seed=seed)[0] for seed in range(8)
    ]
    assert len(set(drawn)) > 1
    with pytest.raises(SettingError, match="num_beans"):
        writer.predict(["vier drei drei vier"], num_beans=1)
    assert writer.predict("vier drei drei vier", num_beams=1) == "four three three four"
    with pytest.raises(SettingError, match="--threshold has no effect"):
        writer.options(1, 0.5)


def test_figures_are_those_of_the_metrics_and_of_the_loss(writer: TextWriter) -> None:
    rows = rows_of([*PAIRS[:8], ("zwei drei drei zwei", "two four four two")])
    answers = writer.answer_rows(rows)
    figures = answers.figures(rows)
    texts = writer.predict([row.source for row in rows])
    assert answers.texts == texts
    assert figures["bleu"] == bleu(texts, [row.target for row in rows]).value
    assert figures["signatures"]["bleu"].startswith("nrefs:1|case:mixed")
    model = Model(writer.base.backbone, writer.head).eval()
    loss = HeldOutLoss(writer.examples(rows), 4).measure(model)["valid_loss"]
    assert figures["perplexity"] == pytest.approx(
        math.exp(loss), rel=1e-2
    )  # answers may be in bfloat16
    assert answers.tallies(rows).keys() == {"bleu", "chrf", "rouge_l"}
    assert TextAnswers([TextAnswer(row.target) for row in rows]).figures(rows)[
        "bleu"
    ] == pytest.approx(100)


def test_rows_that_lack_a_text_are_not_learned_from(writer: TextWriter) -> None:
    rows = rows_of([("eins zwei", "one two"), ("", "one"), ("zwei", " ")])
    assert len(writer.examples(rows)) == 1
    assert writer.answer_rows(rows).texts[1] == ""
    with pytest.raises(CorpusError, match="None of 2 rows has both"):
        writer.examples(rows[1:])


def test_an_output_that_never_ends_is_stopped_and_reported(writer: TextWriter) -> None:
    writer.answering({"max_new_tokens": 2})
    try:
        records = list(writer.predictions(["zwei drei drei zwei", "eins eins"]))
        assert [each["outputs"][0]["ended"] for each in records] == [False, False]
        (doubt,) = writer.doubts(records)
        assert doubt.startswith("2 of 2 outputs did not end by themselves and were stopped at 2")
        rows = rows_of(PAIRS[:2])
        assert writer.answer_rows(rows).figures(rows)["unfinished"] == 1.0
    finally:
        writer.answering({"max_new_tokens": writer.head.max_new_tokens})


@pytest.mark.parametrize("choice", ["warn", "cut", "refuse"])
def test_a_source_longer_than_the_model(writer: TextWriter, choice: str) -> None:
    before = writer.head.config
    long = " ".join(["eins"] * 40)
    writer.head.config = before.model_copy(update={"long_sources": choice})
    try:
        if choice == "refuse":
            with pytest.raises(CorpusError, match=r"text 2: the source has \d+ tokens, and the"):
                writer.predict(["eins zwei", long])
            with pytest.raises(CorpusError, match=r"a\.tsv:1: the source has"):
                writer.examples(rows_of([(long, "one")]))
            return
        records = list(writer.predictions([long, "eins zwei"]))
        warned = [each for each in writer.doubts(records) if "longer than the model reads" in each]
        assert len(warned) == (choice == "warn")
        assert writer.num_cut(rows_of([(long, "one"), ("eins", "one")])) == 1
    finally:
        writer.head.config = before


def test_outputs_that_say_nothing_are_told(writer: TextWriter) -> None:
    rows = rows_of(PAIRS[:8])
    assert TextAnswers([TextAnswer(row.target) for row in rows]).degenerate(rows) is None
    assert TextAnswers([TextAnswer("one")] * 8).degenerate(rows) == (
        "8 of 8 outputs are the same: 'one'."
    )
    assert TextAnswers([TextAnswer("")] * 8).degenerate(rows) == "8 of 8 outputs are empty."


def test_alignments_are_of_the_words_of_both_sides(writer: TextWriter) -> None:
    rows = rows_of(PAIRS[:6])
    answers = writer.answer_rows(rows)
    found = answers.findings(rows, {"baseline": replace(answers, name="the baseline")})
    picture = found["alignments"][0]
    assert (picture["source"], picture["output"]) == (rows[0].source.split(), ["one"] * 4)
    weights = torch.tensor(picture["weights"])
    assert weights.shape == (4, 4)
    assert (weights.sum(1) <= 1.001).all()
    assert found["samples"]


def test_two_vocabularies_are_kept(tmp_path: Path) -> None:
    settings = {"task": {"vocabularies": "separate"}, "training": {"steps": 20}}
    model = learned(settings, out=tmp_path / "run")
    assert model.base.target_tokenizer is not None
    assert model.base.backbone.arguments["source_vocab_size"] == model.base.tokenizer.vocab_size
    again = ft.load(tmp_path / "run")
    assert again.predict(["zwei drei drei zwei"]) == model.predict(["zwei drei drei zwei"])


def test_weights_chosen_by_loss_need_no_decoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"task": {**SETTINGS["task"], "judged_by": "loss"}, "backbone": SHAPE,
                "training": {"steps": 3}, "finetuning": {"baseline": False}}  # fmt: skip
    calls = []
    whole = TextWriter.answer_rows
    monkeypatch.setattr(
        TextWriter, "answer_rows", lambda self, rows: calls.append(1) or whole(self, rows)
    )
    ft.finetune(
        "text_to_text", "gru-attention", PAIRS, tmp_path / "run", valid=PAIRS[:4],
        settings=settings, quiet=True,
    )  # fmt: skip
    records = (tmp_path / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert "valid_loss" in records[-1]
    assert "valid_bleu" not in records[-1]
    assert len(calls) <= 3  # at the end of the run, not while it learns


def test_parallel_files_are_for_this_task_alone(tmp_path: Path) -> None:
    for name, side in (("a.de", 0), ("a.en", 1)):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in PAIRS))
    files = str(tmp_path / "a.de"), str(tmp_path / "a.en")
    recipe = TaskRecipe.load(task="classification", base="linear", train=files)
    with pytest.raises(SettingError, match="two parallel files hold a text and what it becomes"):
        run_finetuning(recipe, tmp_path / "run")
    kept = TaskRecipe.load(task="text_to_text", base="gru-attention", train=files)
    assert kept.run_section()["train"] == list(files)


@pytest.mark.parametrize("base", ["linear", "textcnn", "lstm"])
def test_bases_that_write_nothing_are_refused(base: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"classification|writes none"):
        ft.finetune("text_to_text", base, PAIRS, tmp_path / "run", quiet=True)
