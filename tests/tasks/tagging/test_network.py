"""The tagger in use: it learns, answers every token, and says how good it is."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.recurrent import Recurrent
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import TaggedConfig, TaggedSentence
from foretext.heads.base import TaskBase
from foretext.heads.tagging import TaggingHead
from foretext.metrics import violations
from foretext.progress.run_context import RunContext
from foretext.tasks import resolving
from foretext.tasks.tagging.network import Tagger
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from tests.networks import ANIMALS, TIMES
from tests.text_bodies import bert_body, gpt_body, learn, word_body


def sentence(words: str, tags: str, line: int = 1) -> TaggedSentence:
    tokens = tuple(words.split())
    lines = tuple(range(line, line + len(tokens)))
    return TaggedSentence(tokens, tuple(tags.split()), "rows.conll", lines)


def animals(scheme: str = "IOB2") -> list[TaggedSentence]:
    """An animal is one token, a time is two."""
    first = "B" if scheme == "IOB2" else "I"
    return [
        sentence(f"the {animal} sleeps in the {time} .", f"O {first}-ANI O O {first}-T I-T O")
        for animal in ANIMALS
        for time in TIMES
    ]


def untrained(body: TaskBase, rows: list[TaggedSentence], **settings: Any) -> Tagger:
    torch.manual_seed(3)
    return Tagger.begin(body, TaggingHead.Config(**settings), rows)


def body_of(kind: str, wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer) -> TaskBase:
    if kind in ("bert", "gpt"):
        return bert_body(wordpiece) if kind == "bert" else gpt_body(byte_bpe)
    return word_body(kind)


@pytest.mark.parametrize(
    ("kind", "scheme", "settings"),
    [
        ("bert", "IOB1", {"scheme": "BIOES"}),
        ("bert", "IOB2", {"lstm_dim": 16, "scheme": "BMES"}),
        ("gpt", "IOB2", {}),
        ("recurrent", "IOB1", {}),
        ("textcnn", "IOB2", {"scheme": "BIOES"}),
    ],
)
def test_it_learns(
    kind: str,
    scheme: str,
    settings: dict[str, Any],
    wordpiece: SubwordTokenizer,
    byte_bpe: SubwordTokenizer,
    tmp_path: Path,
) -> None:
    """Answers and figures are of the file's scheme, whatever was taught."""
    rows = animals(scheme)
    model = untrained(body_of(kind, wordpiece, byte_bpe), rows, dropout=0.0, **settings)
    learn(model, rows, tmp_path, steps=60, learning_rate=1e-2)
    figures = model.figures(rows)
    assert figures["f1"] == figures["accuracy"] == 1.0
    assert (figures["sentences"], figures["tokens"]) == (len(rows), 7 * len(rows))
    assert list(figures["labels"]) == ["ANI", "T"]
    assert figures["labels"]["T"]["support"] == len(rows)
    (tags,) = model.predict([rows[0].tokens])
    assert tuple(tags) == rows[0].tags
    text = "the  cow sleeps in the noon."
    assert [span[:4] for span in model.spans([text])[0]] == [
        (5, 8, "ANI", "cow"),
        (19, 27, "T", "the noon"),
    ]


def test_transitions_learn_in_bfloat16(tmp_path: Path) -> None:
    """All words are unknown, so that nothing but the sequence of tags tells the next one."""
    rows = [sentence("x " * length, "A B C " * (length // 3)) for length in (3, 6, 9, 12)] * 4
    model = untrained(word_body("lookup"), rows)
    assert model.head.crf is not None
    model.base.backbone.requires_grad_(False)
    config = TrainingConfig(
        steps=60, learning_rate=0.1, batch_examples=16, device="cpu", precision="bf16"
    )
    fit(Model(model.base.backbone, model.head), model.examples(rows), config, RunContext(tmp_path))
    assert model.judged_by == "accuracy"
    assert model.figures(rows)["accuracy"] == 1.0
    assert model.head.crf.transitions.dtype == torch.float32


def test_spelling_tells_what_words_do_not(tmp_path: Path) -> None:
    rows = [
        sentence(f"{first} {second}", " ".join("OB"[each[0].isupper()] for each in (first, second)))
        for one, other in permutations(("smith", "baker", "brown", "young"), 2)
        for first, second in product((one, one.title()), (other, other.title()))
    ]
    model = untrained(
        spelling_body(Tagger.task.word_traits(rows).num_characters), rows, dropout=0.0
    )
    learn(model, rows, tmp_path, steps=40, learning_rate=3e-2)
    assert model.predict([["Brown", "young", "Smith"]]) == [["B", "O", "B"]]


def spelling_body(num_characters: int) -> TaskBase:
    """A recurrent network that knows no word but by its characters."""
    torch.manual_seed(0)
    tokenizer = WordTokenizer(
        WordTokenizer.Config(pre_tokenizer="whitespace"),
        Vocabulary(["[UNK]"], np.ones(1, np.int64)),
    )
    config = Recurrent.Config(
        vector_size=4, dim=8, dropout=0.0, characters="cnn", character_dim=8, character_features=8
    )
    return TaskBase(tokenizer, Recurrent(config, 1, num_characters), "full")


def test_the_alphabet_has_as_many_characters_as_the_body() -> None:
    rows = [sentence("aaa bbc", "B-X O")]
    assert Tagger.task.word_traits(rows).num_characters == 5
    assert untrained(spelling_body(4), rows).head.found["characters"] == "ab"
    assert untrained(word_body("lookup"), rows).head.found["characters"] == ""


@pytest.mark.parametrize("crf", [True, False])
def test_figures_are_those_of_seqeval(wordpiece: SubwordTokenizer, crf: bool) -> None:
    """Of an untrained model, whose answers are wild."""
    metrics = pytest.importorskip("seqeval.metrics")
    rows = animals()
    model = untrained(bert_body(wordpiece), rows, crf=crf)
    torch.nn.init.normal_(model.head.classifier.weight, std=1.0)
    gold, predicted = [list(row.tags) for row in rows], model.predict([row.tokens for row in rows])
    figures = model.figures(rows)
    report = metrics.classification_report(gold, predicted, output_dict=True, zero_division=0)
    micro = report["micro avg"]
    assert figures["f1"] == pytest.approx(metrics.f1_score(gold, predicted))
    assert figures["precision"] == pytest.approx(micro["precision"])
    assert figures["recall"] == pytest.approx(micro["recall"])
    assert figures["accuracy"] == pytest.approx(metrics.accuracy_score(gold, predicted))
    for kind, own in figures["labels"].items():
        assert own["f1"] == pytest.approx(report[kind]["f1-score"])


def test_tags_of_no_entities_are_judged_token_by_token(wordpiece: SubwordTokenizer) -> None:
    rows = [sentence("the cat purrs", "DT NN VB"), sentence("a dog", "DT NN", 5)]
    model = untrained(bert_body(wordpiece), rows)
    figures = model.figures(rows)
    predicted = model.predict([row.tokens for row in rows])
    same = [
        a == b
        for row, own in zip(rows, predicted, strict=True)
        for a, b in zip(row.tags, own, strict=True)
    ]
    assert figures[model.judged_by] == np.mean(same)
    assert set(figures) == {"sentences", "tokens", "accuracy", "macro_f1", "labels"}
    assert [span.label for span in model.spans(["the cat purrs"])[0]] == predicted[0]


@pytest.mark.parametrize("kind", ["bert", "recurrent"])
def test_neighbours_in_a_batch_make_no_difference(wordpiece: SubwordTokenizer, kind: str) -> None:
    body = bert_body(wordpiece) if kind == "bert" else word_body(kind)
    model = untrained(body, animals(), crf=True)
    texts = ["the cat .", "the cow sleeps in the morning and the hen in the evening .", "", "dog"]
    together = model.predict_proba(texts)
    assert [len(rows) for rows in together] == [len(own) for own in model.tokens(texts)]
    for text, rows in zip(texts, together, strict=True):
        np.testing.assert_allclose(model.predict_proba([text])[0], rows, atol=1e-5)
        np.testing.assert_allclose(rows.sum(-1), 1, atol=1e-5)
        assert rows.shape[1] == len(model.classes_)


def test_long_sentences_are_answered_whole(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """Also where an entity is cut in two."""
    rows = animals()
    model = untrained(bert_body(wordpiece), rows, dropout=0.0, crf=True, max_length=16)
    long = sentence(
        " ".join(" ".join(row.tokens) for row in rows[:9]),
        " ".join(" ".join(row.tags) for row in rows[:9]),
    )
    assert model.num_cut([*rows, long]) == 1
    examples = model.examples([long])
    asked = [examples.batch(np.array([row])).targets["tags"] for row in range(len(examples))]
    assert sum(int((tags >= 0).sum()) for tags in asked) == len(long.tokens)
    learn(model, [*rows, long], tmp_path, steps=60, learning_rate=1e-2)
    assert model.figures([long])["f1"] == 1.0


def test_answers_never_violate_the_scheme(wordpiece: SubwordTokenizer) -> None:
    model = untrained(bert_body(wordpiece), animals())
    torch.nn.init.normal_(model.head.classifier.weight, std=1.0)
    tags = model.predict([row.tokens for row in animals()])
    assert any(tag.startswith("I") for own in tags for tag in own)
    assert [violations(own, "IOB2") for own in tags] == [[]] * len(tags)


WRITTEN = {  # "the cat sleeps in the early noon ." as people write it
    "BILOU": "O U-ANI O O B-T L-T O",
    "B_PER": "O B_ANI O O B_T I_T O",
    "PER-B": "O ANI-S O O T-B T-E O",
    "b-per": "o w-ani o o b-t e-t o",
    "IOE2": "O E-ANI O O I-T E-T O",
    "IO": "O ANI O O T T O",
}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
def test_answers_have_the_letters_of_the_rows(
    written: str, wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    rows = [
        sentence(f"the {animal} sleeps in the {time} .", written)
        for animal in ANIMALS
        for time in TIMES
    ]
    model = untrained(bert_body(wordpiece), rows)
    learn(model, rows, tmp_path, steps=60, learning_rate=1e-2)
    assert model.figures(rows)["f1"] == 1.0
    assert model.predict([row.tokens for row in rows]) == [list(row.tags) for row in rows]
    assert len({*model.classes_}) == len(model.classes_)
    assert all(len(own) == 2 for own in model.spans([row.tokens for row in rows]))
    model.save(tmp_path / "kept")
    again = Tagger.load(tmp_path / "kept")
    assert again.predict([rows[0].tokens]) == [list(rows[0].tags)]
    if "O" in written:  # rows of another scheme are measured by their entities
        assert again.figures(animals())["f1"] == 1.0


@pytest.mark.parametrize(
    ("tags", "cause"),
    [
        ("O S-ANI O O B-T L-T O", "'S-ANI' does not fit BILOU, the scheme of the other tags (le"),
        ("O BB_O_ANI O O B-T L-T O", "'BB_O_ANI' is a tag of BMEWO+, which divides O by its nei"),
        ("O NN O O B-T L-T O", "'NN' is not a tag of an entity, and the others are (BILOU); cor"),
    ],
)
def test_tags_of_two_schemes_are_refused(tags: str, cause: str) -> None:
    words = "the cat sleeps in the noon ."
    rows = [*[sentence(words, WRITTEN["BILOU"])] * 9, sentence(words, tags)]
    with pytest.raises(CorpusError) as caught:
        Tagger.task.find(rows)
    assert str(caught.value).startswith(f"rows.conll, line 2: {cause}")


def test_brackets_are_no_tags() -> None:
    rows = [sentence("Ada Lovelace left", "(PER* *) *", line=3)]
    with pytest.raises(CorpusError, match=r"rows.conll:3: the tags are brackets, such as '\(PER"):
        Tagger.task.find(rows)
    Tagger.task.find([sentence("a * b", "X * X")])  # a star is a tag like others


def test_violations_in_rows_are_learned_as_the_entities_they_are(
    wordpiece: SubwordTokenizer,
) -> None:
    rows = [*animals(), sentence("hen in the noon", "I-ANI O I-T I-T")]
    model = untrained(bert_body(wordpiece), rows, crf=True)
    batch = model.examples(rows[-1:]).batch(np.array([0]))
    tags = batch.targets["tags"][0]
    assert [model.classes_[tag] for tag in tags if tag >= 0] == ["B-ANI", "O", "B-T", "I-T"]


def test_characters_are_found_to_be_the_tokens(wordpiece: SubwordTokenizer) -> None:
    rows = [sentence("我 爱 北 京", "O O B-LOC I-LOC"), sentence("2 0 岁", "O O O")]
    model = untrained(bert_body(wordpiece), rows)
    assert [token.text for token in model.tokens(["20岁 ok"])[0]] == ["2", "0", "岁", "o", "k"]
    assert not untrained(bert_body(wordpiece), animals()).head.by_character


def test_a_single_text_gets_a_single_answer(wordpiece: SubwordTokenizer) -> None:
    model = untrained(bert_body(wordpiece), animals())
    assert model.predict("the cat") == model.predict(["the cat"])[0]
    assert model.spans("the cat") == model.spans(["the cat"])[0]
    with pytest.raises(CorpusError, match="text 2 is 7 of type int; give a text, or a list of its"):
        model.predict(["the cat", 7])
    assert model.predict([]) == model.spans([]) == model.predict_proba([]) == []


def test_an_unknown_tag_is_told_with_its_line(wordpiece: SubwordTokenizer) -> None:
    model = untrained(bert_body(wordpiece), animals())
    other = sentence("the cat in Rome", "O B-ANI O B-LOC", line=7)
    assert [model.knows(row) for row in (other, animals()[0])] == [False, True]
    with pytest.raises(CorpusError) as caught:
        model.examples([*animals(), other])
    assert str(caught.value) == (
        "rows.conll, line 10: no row to learn from has the tag 'B-LOC'; correct it, or add "
        "rows that have it."
    )
    assert model.figures([other])["labels"]["LOC"]["recall"] == 0


def test_rows_that_teach_nothing_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.conll"
    path.write_text("the\ncat\n", encoding="utf-8")
    with pytest.raises(CorpusError) as caught:
        Tagger.task.find(Tagger.task.read(path, TaggedConfig(tag=None)))
    assert str(caught.value) == f"{path}:1: the tokens have no tags; name their column (--tag)."
    with pytest.raises(CorpusError) as caught:
        Tagger.task.find([sentence("the cat", "O O")])
    assert str(caught.value) == (
        "All tokens to learn from have the tag 'O'; two are needed to tell tokens apart, so name "
        "the right column (--tag)."
    )
    with pytest.raises(CorpusError) as caught:
        Tagger.task.find([*animals(), sentence("the cat", "O odd", line=3)])
    assert str(caught.value) == (
        "rows.conll, line 4: 'odd' is not a tag of an entity, and the others are (IOB2); "
        "correct it."
    )


CITIES, RIVERS = ("北京", "上海", "广州", "南京"), ("长江", "黄河", "珠江")


def chinese() -> list[TaggedSentence]:
    """A place is two characters that are one word."""
    return [
        sentence(" ".join(f"我在{city}看{river}"), "O O B-LOC I-LOC O B-LOC I-LOC")
        for city in CITIES
        for river in RIVERS
    ]


def resolved(rows: list[TaggedSentence], *, is_frozen: bool = False, **settings: Any) -> Any:
    config = TaggingHead.Config(**settings)
    body = word_body("recurrent")
    return Tagger.task.resolve(config, body, rows, is_pretrained=True, is_frozen=is_frozen)


def test_chinese_characters_are_marked_by_their_words(tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    rows = chinese()
    found = resolved(rows)
    assert found.config.word_boundaries
    assert found.notes[0].startswith("task.word_boundaries=true was chosen")
    # All characters are unknown words here, so that only their places tell them apart.
    model = untrained(word_body("recurrent"), rows, dropout=0.0, word_boundaries=True)
    segments = model.examples(rows).batch(np.arange(2)).inputs.segments
    assert segments is not None
    assert segments[0, :7].tolist() == [0, 0, 1, 3, 0, 1, 3]
    learn(model, rows, tmp_path, steps=60, learning_rate=1e-2)
    assert model.figures(rows)["f1"] == 1.0
    model.save(tmp_path / "folder")
    kept = Tagger.load(tmp_path / "folder")
    assert kept.head.marks_tokens
    texts = ["我在北京看长江", "北京"]
    for ours, theirs in zip(model.predict_proba(texts), kept.predict_proba(texts), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_what_is_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not resolved(animals()).config.word_boundaries  # words
    letters = [sentence("a b c d", "O O B-X I-X")]
    assert not resolved(letters).config.word_boundaries
    assert resolved(letters, word_boundaries=True).config.word_boundaries
    with pytest.raises(SettingError, match="most tokens of the rows are words themselves"):
        resolved(animals(), word_boundaries=True)
    frozen = resolved(chinese(), is_frozen=True)
    assert (frozen.config.word_boundaries, frozen.notes) == (False, [])
    monkeypatch.setattr(resolving, "is_jieba_installed", lambda: False)
    without = resolved(chinese())
    assert not without.config.word_boundaries
    assert "pip install 'foretext[chinese]'" in without.notes[0]
