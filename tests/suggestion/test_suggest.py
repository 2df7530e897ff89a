from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError, ForetextError, GivenError, SettingError
from foretext.data.rows import read_pairs, read_tagged, read_texts
from foretext.suggestion import Suggestions, suggest
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.vectors.word_vectors import WordVectors
from tests.tasks.matching.test_network import likeness, matcher, which_first
from tests.tasks.sentence_vectors import test_network as encoders
from tests.tasks.tagging.test_network import animals, untrained
from tests.text_bodies import bert_body, learn, word_body

SEA = ("ship", "wave", "harbour", "sail", "captain", "crew", "storm")
LAW = ("judge", "jury", "court", "trial", "verdict", "lawyer", "appeal")


def line(rng: np.random.Generator, *words: tuple[str, ...]) -> str:
    return " ".join(["the", *(str(rng.choice(some)) for some in words)])


@pytest.fixture(scope="module")
def classifier() -> LinearClassifier:
    rng = np.random.default_rng(0)
    texts = [line(rng, words, words, words) for words in (SEA, LAW) * 10]
    return LinearClassifier().fit(texts, ["sea", "law"] * 10)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """200 that are surely of one label, and 100 of which nobody can say."""
    rng = np.random.default_rng(1)
    sure = [line(rng, words, words, words, words) for words in (SEA, LAW) * 100]
    return [*sure, *(line(rng, SEA, LAW, SEA, LAW) for _ in range(100))]


def mixed(text: str) -> bool:
    return bool({*text.split()} & {*SEA}) and bool({*text.split()} & {*LAW})


def test_the_least_sure_come_first(classifier: LinearClassifier, texts: list[str]) -> None:
    found = suggest(classifier, texts, 20, by="uncertainty", quiet=True)
    assert len(found) == 20
    assert all(map(mixed, found.texts))
    priorities = [task.priority for task in found]
    assert priorities == sorted(priorities, reverse=True)
    shares = classifier.predict_proba(found.texts).max(1)
    np.testing.assert_allclose(priorities, 2 - 2 * shares)  # of two labels
    assert found.tasks[0].why.startswith("unsure between ")
    assert found.tasks[0].labels == (classifier.predict(found.texts)[0],)


def test_both_takes_no_two_texts_that_are_nearly_the_same(classifier: LinearClassifier) -> None:
    """The least sure text comes with fifty numbers that the model does not know."""
    others = [f"{sea} {law} crew court" for sea in SEA for law in LAW]
    (base,) = suggest(classifier, others, 1, by="uncertainty", quiet=True).texts
    copies = [f"{base} {number}" for number in range(50)]
    given = [*others, *copies, "ship ship ship", "judge judge judge"]
    unsure = suggest(classifier, given, 10, by="uncertainty", quiet=True)
    assert sum(text.startswith(base) for text in unsure.texts) == 10
    chosen = suggest(classifier, given, 10, quiet=True)
    assert sum(text.startswith(base) for text in chosen.texts) <= 2
    assert all("stands for" in task.why and "unsure between" in task.why for task in chosen)


@pytest.mark.parametrize("spread", ["clusters", "k-center"])
def test_coverage_takes_what_the_labelled_rows_do_not_show(
    spread: Any, classifier: LinearClassifier
) -> None:
    strange = ["piano sonata violin", "violin piano opera", "opera sonata piano violin"]
    given = ["ship wave harbour", "wave ship sail harbour", "judge jury court", *strange]
    labelled = [("ship wave sail harbour", "sea"), ("judge court jury", "law")]
    found = suggest(
        classifier, given, 1, by="coverage", spread=spread, labelled=labelled, quiet=True
    )
    assert found.texts[0] in strange
    assert found.facts["labelled"] == 0
    assert suggest(classifier, given, 9, labelled=[(given[0], "sea")], quiet=True).facts["labelled"]


@pytest.mark.parametrize(("seed", "number"), [(0, 10), (1, 80)])
def test_clusters_whose_texts_are_all_near_labelled_rows_come_last(seed: int, number: int) -> None:
    """Each text has the words of a labelled one, in another order."""
    words = SEA[:6]
    rows = np.random.default_rng(seed).normal(size=(len(words), 3)).astype(np.float32)
    orders = list(permutations(words, 3))
    labelled = [" ".join(order) for order in orders if [*order] == sorted(order)]
    given = [" ".join(order) for order in orders if [*order] != sorted(order)]
    found = suggest(WordVectors(words, rows), given, number, labelled=labelled, quiet=True)
    why = [task.why for task in found]
    assert len(why) == number
    num_near = why.count("near what is labelled or suggested already")
    assert 0 < num_near < number
    assert all(each.startswith("stands for") for each in why[:-num_near])
    assert not any("for 0 texts" in each for each in why)


def test_texts_with_equal_vectors_stand_for_none_but_one() -> None:
    vectors = WordVectors(["sea", "ship"], np.ones((2, 2), np.float32))
    found = suggest(vectors, ["sea", "ship", "sea ship"], 3, quiet=True)
    why = [task.why for task in found]
    assert why == ["stands for 3 texts", *["near what is labelled or suggested already"] * 2]


@pytest.mark.parametrize("by", ["uncertainty", "coverage", "both"])
def test_no_text_is_suggested_twice_and_none_is_empty(
    by: Any, classifier: LinearClassifier
) -> None:
    given = ["a ship", "a  ship", "A SHIP", "", "  ", "a judge", "a judge"]
    found = suggest(classifier, given, 50, by=by, quiet=True)
    assert sorted(found.texts) == ["a judge", "a ship"]
    assert {**found.facts, "vectors": 0} == {
        "texts": 7, "repeated": 3, "empty": 2, "labelled": 0, "by": by, "vectors": 0,
    }  # fmt: skip


def test_the_same_texts_in_a_file(
    classifier: LinearClassifier, texts: list[str], tmp_path: Path
) -> None:
    (tmp_path / "texts.txt").write_text("".join(f"{text}\n" for text in texts))
    rows = [json.dumps({"body": text}) + "\n" for text in texts]
    (tmp_path / "texts.jsonl").write_text("".join(rows))
    expected = suggest(classifier, texts, 10, quiet=True).texts
    assert suggest(classifier, tmp_path / "texts.txt", 10, quiet=True).texts == expected
    named = suggest(classifier, str(tmp_path / "texts.jsonl"), 10, columns={"text": "body"})
    assert named.texts == expected


def test_a_model_without_labels_covers_the_texts() -> None:
    words = [*SEA, *LAW]
    places = np.array([[1.0, 0.0]] * 7 + [[0.0, 1.0]] * 7) + 0.01 * np.arange(14)[:, None]
    vectors = WordVectors(words, places.astype(np.float32))
    given = ["ship wave", "wave sail", "sail crew", "judge jury"]
    found = suggest(vectors, given, 2, quiet=True)
    assert found.facts["by"] == "coverage"
    assert "judge jury" in found.texts
    assert found.tasks[0].why == "stands for 3 texts"
    assert found.tasks[0].labels == ()
    with pytest.raises(SettingError, match="the model gives no probabilities of labels"):
        suggest(vectors, given, by="both")


def test_vectors_of_another_model(classifier: LinearClassifier, tmp_path: Path) -> None:
    vectors = WordVectors([*SEA, *LAW], np.eye(14, 3, dtype=np.float32))
    vectors.save(tmp_path / "v.txt")
    path = tmp_path / "v.txt"
    by_path = suggest(classifier, ["ship", "wave", "judge"], 2, embedder=path, quiet=True)
    assert by_path.facts["vectors"] == str(path)
    given = suggest(classifier, ["ship", "wave", "judge"], 2, embedder=vectors, quiet=True)
    assert given.texts == by_path.texts
    assert given.facts["vectors"] == "WordVectors"


def test_vectors_that_a_classifier_holds(texts: list[str]) -> None:
    vectors = WordVectors([*SEA, *LAW], np.eye(14, dtype=np.float32))
    given = [line(np.random.default_rng(5), words, words) for words in (SEA, LAW) * 6]
    model = ft.EmbeddingClassifier([vectors], words=True).fit(given, ["sea", "law"] * 6)
    found = suggest(model, texts, 5, quiet=True)
    assert found.facts["vectors"] == "the model's"
    of_words = ft.EmbeddingClassifier(words=True).fit(given, ["sea", "law"] * 6)
    assert suggest(of_words, texts, 5, quiet=True).facts["vectors"] == "words of the texts"


def test_several_labels_of_a_text(tmp_path: Path) -> None:
    labels = [["sea"], ["law"], ["sea", "law"]] * 8
    given = ["the ship", "the judge", "the ship judge"] * 8
    model = LinearClassifier().fit(given, labels)
    found = suggest(model, ["ship", "judge", "ship court wave", "none of them"], 4, quiet=True)
    assert found.tasks[0].why.startswith("unsure of ")
    assert all(0 <= (task.priority or 0) <= 1 for task in found)
    entropy = suggest(model, ["ship", "judge"], 2, measure="entropy", quiet=True)
    assert all(0 < (task.priority or 0) <= 1 for task in entropy)


def test_a_classifier_of_fasttext_in_a_file(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"dim": 4, "epochs": 2, "workers": 1, "pre_tokenizer": "blanks"}
    model = FastTextClassifier(**settings).fit(["a ship", "a judge"] * 9, ["sea", "law"] * 9)
    model.save(tmp_path / "run")
    found = suggest(tmp_path / "run", ["the ship", "the judge"], 1, quiet=True)
    assert found.facts["vectors"] == "words of the texts"
    assert found.tasks[0].choices == ("law", "sea")


def test_a_tagger_suggests_its_spans(tmp_path: Path) -> None:
    rows = animals()
    model = untrained(word_body("textcnn"), rows, dropout=0.0)
    learn(model, rows, tmp_path, steps=40, learning_rate=1e-2)
    given = ["the cow sleeps in the noon.", "the cow, in  the morning", "noon hen dog cow night"]
    for format in ("label-studio", "doccano", "prodigy", "jsonl", "tsv"):
        out = tmp_path / f"a-{format}.{'tsv' if format == 'tsv' else 'jsonl'}"
        found = suggest(model, given, 3, out=out, format=format, quiet=True)
    first = next(task for task in found if task.text == given[0])
    assert first.spans == [(4, 7, "ANI"), (18, 26, "T")]
    assert "unsure of its tags" in first.why
    back = {row.tokens: row.tags for row in read_tagged(tmp_path / "a-doccano.jsonl")}
    assert back == {tuple(task.words): tuple(task.tags) for task in found}
    assert back == {row.tokens: row.tags for row in read_tagged(tmp_path / "a-tsv.tsv")}
    tokens = tmp_path / "a.conll"
    tokens.write_text("the\ncow\n'\n\nthe\nhen\n")
    spelled = suggest(model, tokens, 2, by="uncertainty", measure="entropy", quiet=True)
    assert sorted(task.words for task in spelled) == [["the", "cow", "'"], ["the", "hen"]]
    with pytest.raises(SettingError, match="do not fit into a row of a table"):
        suggest(model, given, 3, out=tmp_path / "a.csv")
    model.save(tmp_path / "kept")  # its words have no vectors of texts: those of the words serve
    assert len(suggest(tmp_path / "kept", given, 3, quiet=True)) == 3


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json"])
def test_the_file_is_labelled_and_read(
    suffix: str, classifier: LinearClassifier, texts: list[str], tmp_path: Path
) -> None:
    out = tmp_path / f"a{suffix}"
    found = suggest(classifier, texts, 5, out=out, quiet=True)
    if suffix != ".json":
        text = out.read_text().replace('"label": null', '"label": "x"')
        out.write_text(text.replace(",,", ",x,"))
        assert [row[:2] for row in read_texts(out)] == [(each, ("x",)) for each in found.texts]
    with pytest.raises(ForetextError, match="exists; choose another name"):
        suggest(classifier, texts, 5, out=out)
    suggest(classifier, texts, 5, out=out, overwrite=True, quiet=True)


def test_what_python_and_a_notebook_show(classifier: LinearClassifier) -> None:
    found = suggest(classifier, ["a ship", "a judge"], 1, quiet=True)
    assert isinstance(found, Suggestions)
    assert repr(found).startswith("Suggestions(suggested=1, texts=2, ")
    assert ft.suggest is suggest


WRONG: dict[str, tuple[Any, dict[str, Any], type[ForetextError], str]] = {
    "nothing left": (["a"], {"labelled": [("A", "x")]}, CorpusError, r"no text to suggest \(1 lab"),
    "empty": (["", " "], {}, CorpusError, r"no text to suggest \(2 empty\)"),
    "no number": (["a"], {"number": 0}, SettingError, "number = 0: give 1 or more"),
    "no text": (["a", 7], {}, GivenError, "text 2 is 7 of type int; give a text"),
    "a pair": ([("a", "b")], {}, GivenError, "text 1 is .* give a text"),
    "a wrong way": (["a"], {"by": "chance"}, SettingError, "by = 'chance': give"),
    "no name": (["a"], {"out": "a.xyz"}, SettingError, "give --format csv, jsonl, label-studio"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_arguments_are_one_sentence(kind: str, classifier: LinearClassifier) -> None:
    texts, more, error, sentence = WRONG[kind]
    with pytest.raises(error, match=sentence):
        suggest(classifier, texts, **more)


def test_a_task_whose_rows_have_no_labels_is_refused(classifier: LinearClassifier) -> None:
    class Reader(LinearClassifier):
        """Reads a question and its passage."""

        fields = ("question", "context")

        def class_answers(self, inputs: Any) -> Any:
            """Return no labels."""
            return None

    with pytest.raises(SettingError, match="learns from more than labels"):
        suggest(Reader(), [("a", "b")], by="coverage")


def test_a_folder_that_answers_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForetextError):
        suggest(tmp_path / "nothing", ["a"])


def test_pairs_with_labels_and_with_scores(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    model = matcher(bert_body(wordpiece), which_first(4))
    given = [("the dog barks", "a cat"), ("a hen", "the hen clucks"), ("a hen", "the hen clucks")]
    out = tmp_path / "a.json"
    found = suggest(model, given, 2, out=out, quiet=True)
    assert found.facts["repeated"] == 1
    assert {tuple(task.texts.values()) for task in found} == {*given}
    tasks = json.loads(out.read_text())
    tasks = [{**task, "annotations": task["predictions"]} for task in tasks]
    out.write_text(json.dumps(tasks))
    rows = {(row.text_a, row.text_b): row.labels for row in read_pairs(out)}
    assert rows == {tuple(task.texts.values()): task.labels for task in found}
    scores = matcher(bert_body(wordpiece), likeness())
    assert suggest(scores, given, 1, quiet=True).facts["by"] == "coverage"
    with pytest.raises(SettingError, match="matching gives no probabilities of labels"):
        suggest(scores, given, 1, by="uncertainty")


def test_a_sentence_encoder_covers_the_texts(wordpiece: SubwordTokenizer) -> None:
    model = encoders.encoder(bert_body(wordpiece), encoders.texts())
    given = ["the dog barks", "the dog barks .", "every cat purrs again ."]
    found = suggest(model, given, 2, quiet=True)
    assert (found.facts["by"], found.facts["vectors"]) == ("coverage", "the model's")
    with pytest.raises(SettingError, match="gives no probabilities of labels"):
        suggest(model, given, by="both")
