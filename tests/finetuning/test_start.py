"""What a network starts a task with: found, checked, copied or randomly initialised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import ForetextError, SettingError
from foretext.data.rows import LabelledPair, RowTexts, TaggedSentence
from foretext.finetuning.bases import open_base
from foretext.finetuning.start import Material, Start, find_start
from foretext.heads.matching import MatchingHead
from foretext.heads.tagging import TaggingHead
from foretext.tasks.task import task_named
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import bert
from tests.task_files import SMALL, TaskFiles, language_model, small_settings, word_vectors

ROWS = RowTexts(["the owl hoots", "the owl sees the dog", "zebras bark", "zebras hoot"])


def begun(base: Any, task: str = "classification", **options: Any) -> Start:
    own = task_named(task)
    material = Material(own, ROWS, over_vectors=own.over_vectors(None, []))
    sections = options.pop("sections", {})
    return find_start(open_base(base), base, material, sections, **options)


@pytest.mark.parametrize("name", ["textcnn", "rnn", "lstm", "gru", "transformer"])
def test_random_weights_follow_from_the_seed(name: str) -> None:
    found = begun(name, sections={"backbone": SMALL[name]})
    assert (found.origin, found.base.visibility) == ("scratch", "full")
    one, same, other = (found.new_base(seed).backbone.embedding for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_words_are_those_of_two_rows() -> None:
    found = begun("lstm", sections={"backbone": SMALL["lstm"]})
    assert set(found.base.tokenizer.vocabulary.words) == {"[UNK]", "the", "owl", "zebras"}
    all_of_them = begun("lstm", sections={"backbone": SMALL["lstm"], "tokenizer": {"min_count": 1}})
    assert "hoots" in all_of_them.base.tokenizer.vocabulary.words


def test_words_keep_their_vectors_and_others_get_random_ones() -> None:
    vectors = word_vectors()
    found = begun(vectors)
    words = list(found.base.tokenizer.vocabulary.words)
    assert "zebras" in words
    one, same, other = (found.new_base(seed).backbone.embedding.detach() for seed in (1, 1, 2))
    known = [place for place, word in enumerate(words) if word in vectors]
    strange = [place for place, word in enumerate(words) if word not in vectors]
    own = [vectors.get_vector(words[place]) for place in known]
    np.testing.assert_array_equal(one[known].numpy(), np.stack(own))
    assert {words[place] for place in strange} == {"[UNK]", "owl", "zebras"}
    assert torch.equal(one, same)
    assert torch.equal(one[known], other[known])
    assert not torch.equal(one[strange], other[strange])
    ratio = float(one[strange].std() / one[known].std())
    assert 0.5 < ratio < 2


@pytest.mark.parametrize(
    ("task", "chosen", "backbone"),
    [
        ("classification", {}, "TextCNN"),
        ("tagging", {}, "Recurrent"),
        ("tagging", {"name": "textcnn"}, "TextCNN"),
        ("classification", {"name": "gru"}, "Recurrent"),
    ],
)
def test_vectors_get_a_network(task: str, chosen: dict[str, str], backbone: str) -> None:
    found = begun(word_vectors(), task, sections={"backbone": chosen})
    assert type(found.base.backbone).__name__ == backbone


def test_vectors_of_a_run_are_read_as_their_run_read(bases: dict[str, Path]) -> None:
    found = begun(bases["word2vec"])
    assert found.base.tokenizer.encode("the dog") == [
        found.base.tokenizer.vocabulary.ids[word] for word in ("the", "dog")
    ]
    assert begun(bases["vectors"]).base.tokenizer.config.lowercase


@pytest.mark.parametrize("kind", ["bert", "gpt"])
def test_a_pretrained_network_is_copied(kind: str, bases: dict[str, Path]) -> None:
    model = ft.load(bases[kind])
    body = begun(model).new_base(1)
    assert body.backbone is not model.backbone
    assert body.visibility == model.visibility
    theirs = dict(model.backbone.named_parameters())
    for name, weight in body.backbone.named_parameters():
        assert torch.equal(weight, theirs[name])
        assert weight.data_ptr() != theirs[name].data_ptr()
    assert (body.vocabulary_head is not None) is (kind == "gpt")


def test_the_layer_of_next_sentences_comes_along(wordpiece: SubwordTokenizer) -> None:
    model: Any = bert(wordpiece, next_sentence=True)
    body = begun(ft.LanguageModel(wordpiece, model.backbone, model.objective)).new_base(1)
    theirs = model.objective.next_sentence.pooler.state_dict()
    assert body.pooler is not None
    assert all(torch.equal(body.pooler[name], weight) for name, weight in theirs.items())


def test_gpt_s_head_is_tied_to_the_copy(byte_bpe: SubwordTokenizer) -> None:
    body = begun(language_model("gpt", byte_bpe)).new_base(1)
    assert body.vocabulary_head is not None
    assert body.vocabulary_head.weight is body.backbone.embedding


def test_fresh_keeps_the_shape_alone(bases: dict[str, Path]) -> None:
    model = ft.load(bases["bert"])
    found = begun(model, fresh=True)
    assert found.origin == "scratch"
    body = found.new_base(1)
    shapes = [weight.shape for weight in body.backbone.parameters()]
    assert shapes == [weight.shape for weight in model.backbone.parameters()]
    assert not torch.equal(body.backbone.embedding, model.backbone.embedding)
    assert body.pooler is None


@pytest.mark.parametrize("base", ["textcnn", "vectors"])
def test_fresh_is_of_pretrained_networks(base: str, bases: dict[str, Path]) -> None:
    with pytest.raises(SettingError, match="fresh would have no effect: it gives a pretrained"):
        begun(bases.get(base, base), fresh=True)


def test_what_does_not_fit_is_refused(bases: dict[str, Path]) -> None:
    for base, section, sentence in (
        (bases["bert"], {"backbone": {"dim": 64}}, r"\[backbone\] dim cannot be chosen here"),
        (bases["gpt"], {"tokenizer": {"vocab_size": 9}}, r"\[tokenizer\] vocab_size cannot be"),
        (
            bases["vectors"],
            {"backbone": {"name": "transformer"}},
            "cannot start from word vectors; take one",
        ),
        (bases["vectors"], {"backbone": {"vector_size": 7}}, "vector_size = 7: the vectors to"),
        ("lstm", {"backbone": {"num_heads": 2}}, r"\[backbone\] num_heads: there is no such"),
    ):
        with pytest.raises(SettingError, match=sentence):
            begun(base, sections=section).new_base(1)


def test_what_is_no_base_says_so(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("This is no vector file.\nIt is prose of some lines.\n")
    (tmp_path / "empty").mkdir()
    for base, sentence in (
        (tmp_path / "text.txt", "text.txt"),
        (tmp_path / "empty", "holds no run of foretext"),
        (3, "BASE is int, which no task can be learned on"),
    ):
        with pytest.raises(ForetextError, match=sentence):
            begun(base)


def test_a_classifier_of_fasttext_is_no_base(task_files: TaskFiles, tmp_path: Path) -> None:
    settings = {"classifier": {"epochs": 1, "dim": 4, "workers": 1}}
    train = task_files.train("classification")
    ft.finetune("classification", "fasttext", train, tmp_path / "run", settings=settings)
    with pytest.raises(SettingError, match="holds FastTextClassifier, which no task can be"):
        begun(tmp_path / "run")


def test_a_tagger_reads_words_by_their_characters(task_files: TaskFiles, tmp_path: Path) -> None:
    train = task_files.train("tagging")
    settings = {**small_settings(None), "backbone": SMALL["lstm"]}
    words = ft.finetune("tagging", "lstm", train, tmp_path / "words", settings=settings)
    assert words.base.backbone.reads_characters

    (tmp_path / "characters.txt").write_text("上 B-LOC\n海 I-LOC\n人 O\n\n" * 20)
    settings |= {"task": {"crf": False}}
    chinese = tmp_path / "characters.txt"
    tagger = ft.finetune("tagging", "lstm", chinese, tmp_path / "chinese", settings=settings)
    assert not tagger.base.backbone.reads_characters


def test_a_tagger_goes_on_with_its_own_characters(task_files: TaskFiles, tmp_path: Path) -> None:
    settings = {**small_settings(None), "backbone": SMALL["lstm"]}
    train = task_files.train("tagging")
    first = ft.finetune("tagging", "lstm", train, tmp_path / "first", settings=settings)
    (tmp_path / "other.txt").write_text("Żółw B-PER\nśpi O\n\nzebra O\n\n" * 20)
    second = ft.finetune(
        "tagging",
        tmp_path / "first",
        tmp_path / "other.txt",
        tmp_path / "second",
        settings=small_settings(None),
    )
    assert second.head.characters == first.head.characters
    assert "Ż" not in second.head.characters
    tags = ft.load(tmp_path / "second").predict([["Żółw", "śpi"]])
    assert tags == second.predict([["Żółw", "śpi"]])


def test_spelled_words_are_no_base_for_other_tasks(task_files: TaskFiles, tmp_path: Path) -> None:
    settings = {**small_settings(None), "backbone": SMALL["lstm"]}
    train = task_files.train("tagging")
    ft.finetune("tagging", "lstm", train, tmp_path / "run", settings=settings)
    with pytest.raises(SettingError, match="reads words by their characters too"):
        begun(tmp_path / "run")


@pytest.mark.parametrize(
    ("chosen", "num_rows"),
    [({}, 1 << 16), ({"bigrams": 0}, 0), ({"bigrams": 9}, 9), ({"bidirectional": False}, 0)],
)
def test_chinese_characters_are_read_in_pairs(chosen: dict[str, Any], num_rows: int) -> None:
    tags = ("O", "O", "B-LOC", "I-LOC")
    rows = [TaggedSentence(tuple("我爱北京"), tags, "rows", (1, 2, 3, 4))] * 2
    material = Material.of(task_named("tagging"), TaggingHead.Config(), rows)
    sections = {"backbone": {**SMALL["lstm"], **chosen}}
    found = find_start(open_base("lstm"), "lstm", material, sections)
    assert found.base.backbone.config.bigrams == num_rows


@pytest.mark.parametrize(
    ("mode", "label", "network"),
    [("auto", "yes", "reader"), ("siamese", "yes", "textcnn"), ("auto", None, "textcnn")],
)
def test_pairs_with_labels_are_read_together_over_word_vectors(
    mode: Any, label: str | None, network: str
) -> None:
    rows = [LabelledPair("an owl", "the owl", label, None if label else 0.5, "rows:1")] * 2
    material = Material.of(task_named("matching"), MatchingHead.Config(mode=mode), rows)
    vectors = word_vectors()
    found = find_start(open_base(vectors), vectors, material, {})
    assert found.sections["backbone"]["name"] == network


def test_words_are_not_read_in_pairs() -> None:
    found = begun("lstm", "tagging", sections={"backbone": SMALL["lstm"]})
    assert found.base.backbone.config.bigrams == 0
