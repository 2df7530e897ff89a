"""The sentence encoder in use: vectors of any text, figures, and rows that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import foretext as ft
from foretext.artifact import load_embedder
from foretext.backbones.transformer import Transformer
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import SentenceRow
from foretext.heads.base import TaskBase
from foretext.heads.sentence_vectors import SentenceVectorsHead
from foretext.language_model import LanguageModel
from foretext.tasks.examining import examine
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import ANIMALS, SHAPE, SOUNDS, TIMES
from tests.task_files import SMALL, write_task_files
from tests.text_bodies import bert_body, gpt_body, learn, word_body

TEXTS = ["the dog barks", "", "every cat purrs again . " * 12]


def pairs(number: int = 48) -> list[SentenceRow]:
    """What an animal does, in two forms that share no word but the time."""
    rows = []
    for row in range(number):
        animal, sound, when = ANIMALS[row % 6], SOUNDS[row % 6], TIMES[row // 6 % 4]
        rows.append(SentenceRow(f"the {animal} {when}", f"{sound} {when}", None, None, f"r:{row}"))
    return rows


def texts() -> list[SentenceRow]:
    return [SentenceRow(row.text_a, None, None, None, row.place) for row in pairs()]


def scores() -> list[SentenceRow]:
    return [
        row._replace(text_b=f"the {ANIMALS[place % 4]}", score=float(place % 3))
        for place, row in enumerate(pairs())
    ]


def encoder(body: TaskBase, rows: list[SentenceRow], **settings: Any) -> SentenceEncoder:
    torch.manual_seed(0)
    config = SentenceVectorsHead.Config(**{"max_length": 24, **settings})
    made = SentenceEncoder.task.head(config, body, **SentenceEncoder.task.find(rows))
    return SentenceEncoder(body, made, device="cpu", precision="fp32")


def test_it_learns_pairs(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    rows = pairs()
    model = encoder(bert_body(wordpiece), rows)
    before = model.figures(rows)
    learn(model, rows, tmp_path, steps=50, learning_rate=5e-3)
    after = model.figures(rows)
    assert before["ndcg@10"] < 0.6
    assert after["ndcg@10"] > 0.9
    assert after["recall@1"] > 0.8
    assert after["uniformity"] < before["uniformity"]
    found = model.similarity(["the dog noon"], ["barks noon", "purrs noon", "barks night"])
    assert found.shape == (1, 3)
    assert found.argmax() == 0


def test_pairs_with_scores_measure_what_was_learned_from_texts(wordpiece: SubwordTokenizer) -> None:
    """Beside them the figures of the rows that it learned from stay as they are."""
    stats = pytest.importorskip("scipy.stats")
    for rows in (texts(), pairs()):
        model = encoder(bert_body(wordpiece), rows)
        assert (model.judged_by, "ndcg@10" in model.figures(rows)) == ("ndcg@10", True)
        figures = model.figures(scores())
        assert model.judged_by == "spearman"
        gold, firsts = [row.score for row in scores()], [row.text_a for row in scores()]
        seconds = [str(row.text_b) for row in scores()]
        cosines = np.diag(model.similarity(firsts, seconds))
        paired = model.similarity_pairwise(firsts, seconds)
        np.testing.assert_allclose(paired, cosines, atol=1e-6)
        expected = stats.spearmanr(gold, cosines).statistic, stats.pearsonr(gold, cosines)[0]
        assert (figures["spearman"], figures["pearson"]) == pytest.approx(expected, abs=1e-3)
        examined = examine(
            model, scores(), beside={"baseline": SentenceEncoder.task.baseline(rows)}
        )
        assert examined["judged_by"] == "spearman"
        assert examined["beside"]["baseline"]["difference"] is not None
        loss = model.head.scores(*states_of(model, scores()))["sentence_vectors"].loss
        assert torch.isfinite(loss)


def states_of(model: SentenceEncoder, rows: list[SentenceRow]) -> tuple[Any, Any]:
    batch = model.examples(rows).batch(np.arange(len(rows)))
    with torch.no_grad():
        return model.base.backbone(batch.inputs), batch


def test_texts_alone_are_noted_to_say_little_of_meaning() -> None:
    (note,) = [each for each in SentenceEncoder.task.problems(texts()) if "alone" in each.sentence]
    assert (note.severity, "pairs of texts with scores as --test" in note.sentence) == (
        "note",
        True,
    )
    for rows, test in ((texts(), scores()), (pairs(), []), (scores(), [])):
        found = SentenceEncoder.task.problems(rows, test)
        assert not [each for each in found if "alone" in each.sentence]


def test_it_learns_scores(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    rows = scores()
    model = encoder(bert_body(wordpiece), rows)
    assert model.judged_by == "spearman"
    learn(model, rows, tmp_path, steps=40, learning_rate=5e-3)
    figures = model.figures(rows)
    assert figures["spearman"] > 0.8
    assert figures["pearson"] > 0.6


def test_texts_alone_are_spread_by_dropout(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    rows, body = texts(), bert_body(wordpiece)
    for module in body.backbone.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.1
    model = encoder(body, rows)
    before = model.figures(rows)
    learn(model, rows, tmp_path, steps=30, learning_rate=1e-3)
    assert model.figures(rows)["uniformity"] < before["uniformity"] - 0.3


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
@pytest.mark.parametrize("kind", ["bert", "own"])
def test_a_language_model_embeds_alike(
    wordpiece: SubwordTokenizer, tmp_path: Path, pooling: Any, kind: str
) -> None:
    """The folder is one of a sentence encoder, whose long texts are windows."""
    body = bert_body(wordpiece)
    if kind == "own":  # a shape that no family has
        config = Transformer.Config(**SHAPE, norm_position="pre", embedding_norm=False)
        body = TaskBase(wordpiece, Transformer(config, wordpiece.vocab_size), "full")
    model = encoder(body, pairs(), pooling=pooling)
    model.save(tmp_path / "encoder")
    written = json.loads((tmp_path / "encoder" / "config.json").read_text(encoding="utf-8"))
    assert (written["model_type"] == "foretext") == (kind == "own")
    opened = LanguageModel.load(tmp_path / "encoder", device="cpu", precision="fp32")
    np.testing.assert_allclose(opened.embed(TEXTS), model.embed(TEXTS), atol=1e-6)
    np.testing.assert_allclose(opened.embed(TEXTS, dim=8), model.embed(TEXTS, dim=8), atol=1e-6)


def test_vectors_have_length_one_or_not(wordpiece: SubwordTokenizer) -> None:
    model = encoder(bert_body(wordpiece), pairs())
    assert np.linalg.norm(model.embed(TEXTS), axis=1) == pytest.approx([1, 0, 1], abs=1e-6)
    plain = encoder(bert_body(wordpiece), pairs(), normalize=False)
    assert np.linalg.norm(plain.embed(TEXTS[:1])) > 2
    assert np.linalg.norm(plain.embed(TEXTS[:1], normalize=True)) == pytest.approx(1)
    short = plain.embed(TEXTS[:1], dim=4)
    assert np.linalg.norm(short) == pytest.approx(1)
    whole = plain.embed(TEXTS[:1])[:, :4]
    np.testing.assert_allclose(short, whole / np.linalg.norm(whole), atol=1e-6)


@pytest.mark.parametrize("kind", ["gpt", "lookup", "recurrent"])
def test_other_bases(byte_bpe: SubwordTokenizer, kind: str, tmp_path: Path) -> None:
    body = gpt_body(byte_bpe) if kind == "gpt" else word_body(kind)
    model = encoder(body, pairs())
    assert model.embed(["the dog", "every cat"]).shape == (2, body.backbone.dim)
    model.save(tmp_path / "encoder")
    again = ft.load(tmp_path / "encoder", SentenceEncoder)
    np.testing.assert_allclose(again.embed(TEXTS), model.embed(TEXTS), atol=2e-2)  # bf16
    assert isinstance(ft.load(tmp_path / "encoder"), SentenceEncoder)


def test_the_projection_is_not_kept(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    model = encoder(bert_body(wordpiece), pairs(), projection=True)
    model.save(tmp_path / "encoder")
    again = SentenceEncoder.load(tmp_path / "encoder", device="cpu", precision="fp32")
    assert again.head.projection is None
    np.testing.assert_array_equal(again.embed(TEXTS), model.embed(TEXTS))


def test_rows_of_another_kind_are_refused(wordpiece: SubwordTokenizer) -> None:
    model = encoder(bert_body(wordpiece), pairs())
    with pytest.raises(
        CorpusError, match="the rows are texts, and those of the training are pairs"
    ):
        model.figures(texts())
    triples = [row._replace(negative="the owl") for row in pairs()]
    assert model.figures(triples)["candidates"] == 25  # 24 second texts and one negative


def test_rows_that_teach_nothing() -> None:
    with pytest.raises(CorpusError, match="one row alone"):
        SentenceEncoder.task.find(pairs()[:1])
    with pytest.raises(CorpusError, match="All rows to learn from have the score 1"):
        SentenceEncoder.task.find([row._replace(score=1.0) for row in pairs()])


def test_findings_and_shown_rows(wordpiece: SubwordTokenizer) -> None:
    for rows in (pairs(), texts(), scores()):
        model = encoder(bert_body(wordpiece), rows)
        answers = model.answer_rows(rows)
        assert len(answers.shown(rows)) == len(rows)
        findings = answers.findings(rows)
        if rows[0].score is None:
            ranks = [row["rank"] for row in findings["tables"][0]["rows"]]
            assert ranks == sorted(ranks, reverse=True)
            assert 1 not in ranks
        else:
            assert len(findings["points"]) == len(rows)


def test_one_point_is_noticed(wordpiece: SubwordTokenizer) -> None:
    model = encoder(bert_body(wordpiece), pairs())
    with torch.no_grad():
        for weight in model.base.backbone.parameters():
            weight.zero_()
    found = model.answer_rows(pairs())
    assert found.degenerate(pairs()) is None  # zeros are no point
    assert found.ranks is not None
    assert set(found.ranks) == {24}


def test_a_single_text_gets_a_single_vector(wordpiece: SubwordTokenizer) -> None:
    model = encoder(bert_body(wordpiece), pairs())
    assert model.embed("a dog").tolist() == model.embed(["a dog"])[0].tolist()
    assert model.similarity("a dog", "a dog") == pytest.approx(1.0, abs=1e-6)
    assert model.similarity(["a dog", "a cat"], "a dog").shape == (2,)


@pytest.mark.parametrize(
    ("base", "settings", "cause"),
    [
        ("textcnn", {}, "that of TextCNN is 0; set finetuning.body_dropout"),
        ("transformer", {"finetuning": {"body_dropout": 0.0}}, "that of Transformer is 0; set fin"),
        ("transformer", {"training": {"freeze": "backbone"}}, "leaves nothing to learn: sentence"),
    ],
)
def test_what_cannot_learn_texts_alone(
    tmp_path: Path, base: str, settings: dict[str, Any], cause: str
) -> None:
    rows = [row.text_a for row in texts()]
    shape = {"backbone": SMALL[base]}
    with pytest.raises(SettingError, match=cause):
        ft.finetune(
            "sentence_vectors", base, rows, tmp_path / "run", settings={**shape, **settings}
        )
    assert not (tmp_path / "run").exists()


def test_a_comparison_refuses_it(tmp_path: Path) -> None:
    files = write_task_files(tmp_path)
    with pytest.raises(SettingError, match="compare does not take sentence_vectors"):
        ft.compare("sentence_vectors", files.train("sentence_vectors"), tmp_path / "c", budget=60)


def test_over_whole_words_it_is_what_embeds(tmp_path: Path) -> None:
    """It has no network underneath that could be opened without it."""
    model = encoder(word_body("textcnn"), pairs())
    model.save(tmp_path / "run")
    opened = load_embedder(tmp_path / "run")
    np.testing.assert_array_equal(opened.embed(TEXTS), model.embed(TEXTS))
    assert opened.text_sizes(TEXTS) == [len(text.split()) for text in TEXTS]
    texts = [f"the {animal} {when}" for animal in ANIMALS for when in TIMES]
    sounds = [sound for sound in SOUNDS for _ in TIMES]
    bases = [tmp_path / "run", ("given", model)]
    classifier = ft.EmbeddingClassifier(bases, words=False).fit(texts, sounds)
    classifier.save(tmp_path / "classifier")
    again = ft.load(tmp_path / "classifier")
    np.testing.assert_array_equal(again.predict_proba(TEXTS), classifier.predict_proba(TEXTS))
