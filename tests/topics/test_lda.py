"""LDA finds the topics that a text was drawn from, and equal runs are equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError, Interrupted, SettingError
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.topics.coherence import _npmi
from foretext.topics.training import OnlineTraining
from tests.topics.texts import COMMON, NUM_TOPICS, own_word, write_documents

SETTINGS: dict[str, dict[str, Any]] = {
    "topics": {"num_topics": 5, "most_documents": 0.7, "batch_documents": 64, "epochs": 10},
    "tokenizer": {"min_count": 1},
    "data": {"valid_rate": 0.1},
}


def changed(**topics: Any) -> dict[str, dict[str, Any]]:
    return {**SETTINGS, "topics": {**SETTINGS["topics"], **topics}}


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_documents(tmp_path_factory.mktemp("texts") / "text.txt", 600)


@pytest.fixture(scope="module")
def run(text: Path) -> Path:
    ft.pretrain("lda", text, text.parent / "run", settings=SETTINGS, quiet=True)
    return text.parent / "run"


def own_topic(words: list[tuple[str, float]]) -> tuple[int, float]:
    """The true topic that most of these words are of, and the share of them that are."""
    counts = np.bincount(["abcde".index(word[0]) for word, _ in words], minlength=NUM_TOPICS)
    return int(counts.argmax()), float(counts.max() / len(words))


def test_known_topics_are_found(run: Path) -> None:
    found = [own_topic(words) for words in ft.load(run).topics(10)]
    assert sorted(topic for topic, _ in found) == [0, 1, 2, 3, 4]
    assert min(share for _, share in found) >= 0.9


def test_a_text_of_one_topic_has_that_topic(run: Path) -> None:
    model = ft.load(run)
    of = [own_topic(words)[0] for words in model.topics()]
    texts = [" ".join(own_word(topic, number) for number in range(12)) for topic in range(5)]
    shares = model.embed(texts)
    assert [of[at] for at in shares.argmax(axis=1)] == [0, 1, 2, 3, 4]
    assert shares.max(axis=1).min() > 0.8
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)


def test_probabilities_of_a_topic_add_up_to_one_and_fall(run: Path) -> None:
    for words in ft.load(run).topics(10_000):
        values = [value for _, value in words]
        assert sum(values) == pytest.approx(1, abs=1e-6)
        assert values == sorted(values, reverse=True)


def test_topics_stand_by_their_share_of_the_text(run: Path) -> None:
    shares = [topic.share for topic in ft.load(run).described()]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("most", [0.7, 1.0])
def test_words_of_most_documents_are_in_no_topic(most: float, run: Path, tmp_path: Path) -> None:
    model = ft.load(run)
    if most == 1:
        text = run.parent / "text.txt"
        model = ft.pretrain("lda", text, settings=changed(most_documents=1.0, epochs=1), quiet=True)
    known = {word for words in model.topics(10_000) for word, _ in words}
    assert (set(COMMON) <= known) == (most == 1)
    assert not set(COMMON) & known or most == 1


@pytest.mark.parametrize("few", [8, 11])
def test_a_word_of_ten_documents_stays_in_a_small_text(few: int, tmp_path: Path) -> None:
    texts = [f"common own{chr(97 + n)} pair{chr(97 + n // 2)}" for n in range(few)]
    settings = changed(most_documents=0.05, num_topics=2) | {"data": {"valid_rate": 0.0}}
    model = ft.pretrain("lda", texts, settings=settings, quiet=True)
    words = {word for words in model.topics(100) for word, _ in words}
    assert ("common" in words) == (few <= 10)


@pytest.mark.parametrize("workers", [1, 3])
def test_equal_runs_are_equal_to_the_bit(workers: int, text: Path, run: Path) -> None:
    model = ft.pretrain("lda", text, settings=changed(workers=workers), quiet=True)
    assert model.words.parameters.tobytes() == ft.load(run).words.parameters.tobytes()


def test_a_stopped_training_goes_on_to_the_same_bits(
    text: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, step = text.parent / "stopped", OnlineTraining._step

    def stops(self: OnlineTraining, pool: Any) -> None:
        step(self, pool)
        if self.state.step == 23:
            self._stop("SIGTERM")

    with monkeypatch.context() as patched:
        patched.setattr(OnlineTraining, "_step", stops)
        with pytest.raises(Interrupted, match="go on with --resume"):
            ft.pretrain("lda", text, out, settings=SETTINGS, quiet=True)
    ft.pretrain("lda", text, out, settings=SETTINGS, resume=True, quiet=True)
    for name in ("topics.safetensors", "vocabulary.tsv"):
        assert (out / name).read_bytes() == (run / name).read_bytes()
    losses = [
        [
            json.loads(line)["valid_loss"]
            for line in (folder / "metrics.jsonl").read_text().splitlines()
        ]
        for folder in (out, run)
    ]
    assert losses[0] == losses[1]


@pytest.mark.parametrize("seconds", [10, 300])
def test_a_training_of_seconds_ends_in_time(seconds: int, text: Path, tmp_path: Path) -> None:
    from foretext.corpus import Corpus
    from foretext.data import write_tokens
    from foretext.recipe import Recipe
    from foretext.tokenizers import WordTokenizer
    from foretext.topics.lda import LDA

    recipe = Recipe.load("lda", {"topics": {"budget_seconds": seconds, "num_topics": 3}})
    corpus = Corpus(text)
    tokenizer = WordTokenizer.learn(recipe.tokenizer, corpus)
    model = LDA(
        recipe.of_words, tokenizer.vocabulary, write_tokens(corpus, tokenizer, tmp_path / "ids")
    )
    times = iter(range(5000))
    context = RunContext(
        tmp_path, clock=lambda: float(next(times)),
        checkpoints=Checkpoints(tmp_path / "checkpoints"),
    )  # fmt: skip
    records = model.train(context)
    assert seconds <= records[-1]["time"] <= seconds + 3
    assert len(records) <= 26
    assert records[-1]["valid_loss"] is None


def test_held_out_documents_are_predicted_better_than_by_frequency(run: Path) -> None:
    facts = json.loads((run / "config.json").read_text())
    assert np.exp(facts["valid_loss"]) < 100  # of 150 words, of which each topic has 30
    assert facts["coherence"] > 0.05


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_topics": 1}, "num_topics"),
        ({"most_documents": 0.0}, "most_documents"),
        ({"decay": 0.5}, "decay"),
        ({"budget_seconds": 5, "epochs": 3}, "epochs would have no effect under a budget"),
        ({"alpha": 0.1}, "LDA has no such setting|no such setting"),
    ],
)
def test_bad_settings_are_refused_before_the_text_is_read(
    settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SettingError, match=sentence):
        ft.pretrain("lda", "missing.txt", settings={"topics": settings}, quiet=True)


def test_one_document_is_refused_with_what_to_do() -> None:
    with pytest.raises(CorpusError, match=r'corpus\.documents = "line"'):
        ft.pretrain("lda", ["one document of a few words"], settings=SETTINGS, quiet=True)


@pytest.mark.parametrize("size", [30, 45])
def test_a_text_whose_words_are_everywhere_is_refused(size: int) -> None:
    with pytest.raises(SettingError, match=r"most_documents = 0\.05 leaves no words|leaves 0"):
        ft.pretrain("lda", ["same three words"] * size, settings=changed(most_documents=0.05))


def test_a_base_is_refused(run: Path, text: Path) -> None:
    with pytest.raises(SettingError, match="lda cannot go on from another model"):
        ft.pretrain("lda", text, base=str(run), quiet=True)


@pytest.mark.parametrize(("together", "value"), [(0.5, 1.0), (0.25, 0.0), (0.0, -1.0)])
def test_coherence_by_hand(together: float, value: float) -> None:
    """Two words of half of the documents: always together, by chance, never."""
    both = np.array([[0.5, together], [together, 0.5]])
    assert _npmi(both, np.array([0.5, 0.5])) == pytest.approx(value)
