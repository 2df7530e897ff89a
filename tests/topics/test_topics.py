"""A run of topics and the verbs on it: embed, evaluate, serve, list, and its pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import EvaluationError, SettingError, VectorFileError
from foretext.base.parsing import read_tensors, write_tensors
from foretext.report.run_report import report_folder
from foretext.search.index import index
from foretext.topics.model import FILE, TENSORS, TopicModel
from tests.cli.conftest import Command
from tests.cli.conftest import command as command  # a fixture
from tests.topics.texts import draw_documents, write_documents

SETTINGS = (
    "--set", "topics.num_topics=5", "--set", "topics.most_documents=0.7",
    "--set", "tokenizer.min_count=1", "--set", "data.valid_rate=0.1",
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("topics")
    text = write_documents(folder / "text.txt", 400)
    from foretext.cli.app import app

    arguments = ["pretrain", "lda", str(text), "-o", str(folder / "run"), *SETTINGS, "--quiet"]
    app(arguments, standalone_mode=False)
    return folder / "run"


def test_its_page_shows_the_topics(run: Path) -> None:
    page = report_folder(run).read_text()
    for shown in (
        "Topics, the largest first",
        "coherence",
        "held-out perplexity",
        "most_documents",
    ):
        assert shown in page
    first = ft.load(run).topics(3)[0]
    assert ", ".join(word for word, _ in first) in page


def test_its_card_shows_the_topics(run: Path) -> None:
    card = (run / "README.md").read_text()
    assert "5 topics of 150 words" in card
    assert not re.search(r"\bunknown\b", card)  # as a figure; a setting has the word in its name
    assert card.count("| words |") == 1


def test_evaluate_prints_perplexity_and_coherence(run: Path, command: Command) -> None:
    held_out = write_documents(run.parent / "held_out.txt", 100, seed=2)
    figures = json.loads(command("evaluate", run, held_out, "--json").out)[str(held_out)]
    assert figures["kind"] == "topics"
    assert 30 < figures["perplexity"] < 100
    assert figures["coherence"] > 0
    assert figures["documents"] == 100
    as_lines = json.loads(command("evaluate", run, held_out, "--documents", "line", "--json").out)[
        str(held_out)
    ]
    assert as_lines["perplexity"] == pytest.approx(figures["perplexity"])


@pytest.mark.parametrize("text", ["nothing known here\n", "aaax\n\nbaax\n"])
def test_a_text_without_two_known_words_is_refused(text: str, run: Path) -> None:
    from foretext.topics.measure import measure_of_topics

    path = run.parent / "unknown.txt"
    path.write_text(text)
    with pytest.raises(EvaluationError, match="no document has two words of the topics"):
        measure_of_topics(run, {})(path)


def test_embed_prints_shares(run: Path, command: Command) -> None:
    texts = run.parent / "texts.txt"
    texts.write_text("\n".join(draw_documents(3, seed=5)) + "\n")
    rows = [json.loads(line) for line in command("embed", run, texts).out.splitlines()]
    assert [sum(row["vector"]) for row in rows] == pytest.approx([1, 1, 1], abs=1e-5)
    model = ft.load(run)
    np.testing.assert_allclose(
        [row["vector"] for row in rows], model.embed(texts.read_text().splitlines()), atol=1e-6
    )


def test_vectors_are_of_length_one_by_choice_and_zero_without_a_word(run: Path) -> None:
    model = ft.load(run)
    texts = [*draw_documents(2, seed=6), "nothing known"]
    vectors = model.embed(texts, normalize=True)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 0], rtol=1e-5)
    assert model.embed(texts[0]).shape == (5,)
    assert model.embed([]).shape == (0, 5)


@pytest.mark.parametrize("around", [0, 7])
def test_a_vector_does_not_depend_on_the_texts_around_it(around: int, run: Path) -> None:
    model = ft.load(run)
    text, *others = draw_documents(around + 1, seed=9)
    alone, among = model.embed([text])[0], model.embed([*others, text])[-1]
    assert alone.tobytes() == among.tobytes()


def test_a_server_embeds(run: Path) -> None:
    from foretext.serving.abilities.embed import Embed, EmbedOptions

    model = ft.load(run)
    assert model.abilities == ("embed",)
    found = Embed(model).run(["aaax abx"], EmbedOptions())
    assert found[0].shape == (5,)
    assert model.served_facts()["dimensions"] == 5


def test_neighbors_are_refused_with_a_sentence(run: Path, command: Command) -> None:
    done = command("neighbors", run, "aaax")
    assert done.code == 2
    assert "holds no word vectors" in done.err


def test_settings_are_listed(command: Command) -> None:
    shown = command("list", "--settings", "lda").out
    assert "most_documents" in shown
    assert "[topics]" in shown
    assert "topics" in command("list", "--settings", "topics").out


def test_a_saved_model_is_the_same(run: Path, tmp_path: Path) -> None:
    model = ft.load(run, TopicModel)
    model.tokenizer.save(tmp_path / "tokenizer.json")
    model.save(tmp_path)
    again = TopicModel.load(tmp_path)
    assert again.topics() == model.topics()
    assert again.summary() == model.summary()
    assert again.size == {"topics": 5, "words": 150}


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("ids", lambda ids: ids + 1000, "topics and words do not go together"),
        ("ids", lambda ids: ids[::-1].copy(), "topics and words do not go together"),
        ("parameters", lambda rows: rows[:3].copy(), "topics and words do not go together"),
        ("parameters", lambda rows: rows * np.nan, "a parameter is not a positive number"),
        ("parameters", lambda rows: rows * 0, "a parameter is not a positive number"),
        ("coherences", lambda values: values * np.inf, "a coherence is not finite"),
    ],
)
def test_a_damaged_file_is_refused(name, change, sentence: str, run: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    found = read_tensors(run / FILE, VectorFileError, TENSORS)
    (tmp_path / "tokenizer.json").write_bytes((run / "tokenizer.json").read_bytes())
    for path in run.glob("vocabulary*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    tensors = {**found.tensors, name: change(found.tensors[name])}
    write_tensors(tmp_path / FILE, tensors, found.metadata)
    with pytest.raises(VectorFileError, match=sentence):
        TopicModel.load(tmp_path)


def test_priors_are_checked(run: Path, tmp_path: Path) -> None:
    found = read_tensors(run / FILE, VectorFileError, TENSORS)
    for path in [run / "tokenizer.json", *run.glob("vocabulary*")]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    write_tensors(tmp_path / FILE, found.tensors, {"priors": '{"document_prior": 0}'})
    with pytest.raises(VectorFileError, match="priors"):
        TopicModel.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "learns"),
    [("lda", "learns topics, not words"), ("doc2vec", "learns document vectors, not words")],
)
def test_a_comparison_refuses_it_with_the_reason(name: str, learns: str) -> None:
    from foretext.base.errors import SettingError
    from foretext.comparison.candidate import named_candidate

    with pytest.raises(SettingError, match=f"The candidate '{name}' {learns}"):
        named_candidate(name, "classification")


def test_an_index_takes_no_layers_of_them(run: Path, tmp_path: Path) -> None:
    for settings in ({"pooling": "max"}, {"layers": (0, 1)}):
        with pytest.raises(SettingError, match="no effect on this model, which has no layers"):
            index(run, ["a text"], tmp_path / "index", settings=settings, quiet=True)
