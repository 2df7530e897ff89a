"""`auto`: what it pretrains and learns, by task, texts and time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ForetextError, Interrupted, SettingError
from foretext.comparison.candidate import named_candidate
from foretext.finetuning import auto

SUBJECTS = {
    "sea": ["ship", "harbour", "wave", "sailor", "tide", "anchor", "captain", "reef"],
    "land": ["field", "farmer", "plough", "barn", "harvest", "cattle", "meadow", "fence"],
    "sky": ["cloud", "pilot", "wing", "storm", "kite", "falcon", "rainbow", "breeze"],
}


def texts(number: int, seed: int) -> list[tuple[str, str]]:
    """Texts of six words of one subject each, among words that say nothing."""
    rng = np.random.default_rng(seed)
    found = []
    for at in range(number):
        label = list(SUBJECTS)[at % 3]
        words = [*rng.choice(SUBJECTS[label], 4), *rng.choice(["the", "a", "of", "near"], 3)]
        found.append((" ".join(rng.permutation(words)), label))
    return found


def pairs(number: int) -> list[tuple[str, str, bool]]:
    """Pairs of texts that share words, or none."""
    given = [text for text, _ in texts(number, 0)]
    return [
        (text, f"{text} again" if at % 2 else "quite another matter", bool(at % 2))
        for at, text in enumerate(given)
    ]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few epochs, and little text is enough."""
    monkeypatch.setattr(auto, "LEAST_BYTES", 20_000)
    monkeypatch.setattr(auto, "EPOCHS", (2, 2))


def facts_of(run: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((run / "config.json").read_text("utf-8"))
    return facts


def test_few_labels_and_many_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, more, test = texts(9, 0), [text for text, _ in texts(900, 1)], texts(60, 2)
    model = ft.finetune(
        "classification", "auto", rows, tmp_path / "run", unlabelled=more, test=test, quiet=False
    )
    facts = facts_of(tmp_path / "run")
    assert facts["test"]["accuracy"] > facts["baseline"]["test"]["accuracy"]
    assert facts["test"]["accuracy"] > 0.95
    said = capsys.readouterr().err
    assert "auto: 9 rows: linear heads on vectors of doc2vec, word2vec and words" in said
    names = [view["view"] for view in facts["views"]]
    assert {"doc2vec", "word2vec", "words", "doc2vec + word2vec, self-trained"} <= set(names)
    assert "words, naive Bayes with EM, texts weigh 0.3" in names
    assert not (tmp_path / "run" / "checkpoints").exists()
    opened = ft.load(tmp_path / "run", ft.EmbeddingClassifier)
    asked = [text for text, _ in test]
    assert np.array_equal(opened.predict_proba(asked), model.predict_proba(asked))


def test_the_recipe_of_the_run_repeats_it(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(
        "text,label\n" + "".join(f"{text},{label}\n" for text, label in texts(30, 0)), "utf-8"
    )
    (tmp_path / "more.txt").write_text("\n".join(text for text, _ in texts(900, 1)), "utf-8")
    given: dict[str, Any] = {"unlabelled": str(tmp_path / "more.txt"), "quiet": True}
    rows, settings = str(tmp_path / "rows.csv"), {"embeddings": {"a": 0.01, "seed": 3}}
    first = ft.finetune(
        "classification", "auto", rows, tmp_path / "first", settings=settings, **given
    )
    again = ft.finetune(config=tmp_path / "first" / "recipe.toml", out=tmp_path / "again")
    asked = [text for text, _ in texts(30, 5)]
    assert np.array_equal(first.predict_proba(asked), again.predict_proba(asked))


def test_a_resumed_run_keeps_what_is_pretrained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, more = texts(30, 0), [text for text, _ in texts(900, 1)]
    real, asked = auto.run_recipe, [text for text, _ in texts(30, 5)]
    done: list[str] = []

    def stopped(recipe: Any, *rest: Any, **options: Any) -> Any:
        if done == ["doc2vec"]:
            done.append("stopped")
            raise Interrupted("SIGTERM stopped the training.")
        done.append(recipe.name)
        return real(recipe, *rest, **options)

    monkeypatch.setattr(auto, "run_recipe", stopped)
    given: dict[str, Any] = {"unlabelled": more, "quiet": True}
    with pytest.raises(Interrupted):
        ft.finetune("classification", "auto", rows, tmp_path / "run", **given)
    resumed = ft.finetune("classification", "auto", rows, tmp_path / "run", resume=True, **given)
    assert done == ["doc2vec", "stopped", "word2vec"]
    whole = ft.finetune("classification", "auto", rows, tmp_path / "whole", **given)
    assert np.array_equal(resumed.predict_proba(asked), whole.predict_proba(asked))


@pytest.mark.slow
def test_pretraining_takes_its_share_of_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto, "WORDS_A_SECOND", 1.0)  # so that the usual epochs take too long
    shares, real = list[float](), auto.run_recipe

    def kept(*rest: Any, **options: Any) -> Any:
        shares.append(options["budget"])
        return real(*rest, **options)

    monkeypatch.setattr(auto, "run_recipe", kept)
    more = [text for text, _ in texts(900, 1)]
    model = ft.finetune(
        "classification", "auto", texts(60, 0), tmp_path / "run", unlabelled=more,
        test=texts(90, 3), budget="24s", quiet=True,
    )  # fmt: skip
    assert shares == [6.0, 6.0]
    facts = facts_of(tmp_path / "run")
    assert facts["rows"] == 60
    assert sum(facts["test"]["labels"][label]["support"] for label in SUBJECTS) == 90
    assert facts["warnings"] == []
    assert "doc2vec + word2vec" in [head.name for head in model.heads]


def test_without_texts_words_decide(capsys: pytest.CaptureFixture[str]) -> None:
    model = ft.finetune("classification", "auto", texts(30, 0), quiet=False)
    assert [head.name for head in model.heads] == ["words"]
    said = capsys.readouterr().err
    assert "bytes of text teach vectors too little; give --unlabelled TEXTS" in said
    assert "auto: 30 rows: linear heads on words alone" in said  # too few to hold some out


@pytest.mark.slow
def test_a_tagger_begins_with_vectors_of_the_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        (text.split(), ["O" if len(word) < 5 else "B-X" for word in text.split()])
        for text, _ in texts(40, 0)
    ]
    more = [text for text, _ in texts(900, 1)]
    settings = {"training": {"steps": 5}}
    run = tmp_path / "run"
    ft.finetune("tagging", "auto", rows, run, unlabelled=more, settings=settings, quiet=False)
    assert "the network lstm on fasttext" in capsys.readouterr().err
    assert 'base = "auto"' in (run / "recipe.toml").read_text("utf-8")
    assert ft.load(run).predict([["ship", "of"]]) is not None


@pytest.mark.parametrize("with_texts", [True, False])
def test_few_sentences_are_learned_by_a_linear_chain(
    with_texts: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        (text.split(), ["O" if len(word) < 5 else "B-X" for word in text.split()])
        for text, _ in texts(60, 0)
    ]
    more = [text for text, _ in texts(900, 1)] if with_texts else None
    run = tmp_path / "run"
    model = ft.finetune("tagging", "auto", rows, run, unlabelled=more, quiet=False)
    said = " ".join(capsys.readouterr().err.split())
    over = " and vectors of word2vec" if with_texts else " alone; --unlabelled TEXTS would give it"
    assert f"a linear-chain CRF, as there are at most 5,000 sentences, over words{over}" in said
    assert facts_of(run)["refit"] == {"train": 54, "valid": 6}
    opened = ft.load(run, ft.LinearTagger)
    assert (opened.own_embedder is not None) == with_texts
    asked = [["ship", "of", "harbour"]]
    assert opened.predict(asked) == model.predict(asked)
    monkeypatch.setattr(auto, "MANY_SENTENCES", 9)
    settings = {"linear": {"min_count": 2}}
    ft.finetune("tagging", "auto", rows, settings=settings, quiet=False)
    said = " ".join(capsys.readouterr().err.split())
    assert "rows: a linear-chain CRF, over words alone" in said


def test_a_tagger_without_texts_begins_at_random(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(text.split(), ["O"] * len(text.split())) for text, _ in texts(8, 0)]
    rows[0] = (rows[0][0], ["B-X", *rows[0][1][1:]])
    settings = {"training": {"steps": 2}}
    ft.finetune("tagging", "auto", rows, settings=settings, quiet=False)
    said = capsys.readouterr().err
    assert "the network lstm from random weights; --unlabelled TEXTS would give it vectors" in said


def test_pairs_are_learned_by_the_words_that_they_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, test = tmp_path / "run", pairs(20)
    model = ft.finetune("matching", "auto", pairs(60), run, test=test, quiet=False)
    said = " ".join(capsys.readouterr().err.split())
    assert "auto: 60 rows: a regression on the words that both texts share" in said
    assert "compare it with a network" not in said
    assert facts_of(run)["test"]["accuracy"] == 1.0
    assert facts_of(run)["baseline"] is None
    opened = ft.load(run, ft.LinearMatcher)
    asked = [(first, second) for first, second, _ in test]
    assert (
        opened.predict(asked).tolist()
        == model.predict(asked).tolist()
        == [label for *_, label in test]
    )
    monkeypatch.setattr(auto, "MANY_PAIRS", 60)
    again = ft.finetune("matching", "auto", pairs(60), tmp_path / "many", test=test, quiet=False)
    assert "compare it with a network over word vectors" in " ".join(
        capsys.readouterr().err.split()
    )
    assert np.array_equal(again.predict_proba(asked), model.predict_proba(asked))


def test_other_tasks_and_idle_options_are_refused() -> None:
    with pytest.raises(SettingError, match="it learns classification, matching and tagging, not"):
        ft.finetune("span_qa", "auto", texts(9, 0))
    with pytest.raises(SettingError, match="--search has no effect on 'auto'"):
        ft.finetune("classification", "auto", texts(9, 0), search="5s")
    with pytest.raises(SettingError, match=r"\[training\] has no effect on 'auto' for classif"):
        ft.finetune("classification", "auto", texts(9, 0), settings={"training": {"steps": 3}})
    with pytest.raises(SettingError, match="--with names 2 bases"):
        ft.finetune("tagging", "auto", [(["a"], ["O"])], beside=["no/such", "other"])


@pytest.mark.parametrize(
    ("task", "options", "sentence"),
    [
        ("classification", {"beside": ["no/such"]}, "no/such"),
        ("classification", {"settings": {"embeddings": {"folds": 1}}}, "folds"),
        ("classification", {"settings": {"embeddings": {"layer": 1}}}, "layer has no effect"),
        (
            "classification",
            {"unlabelled": None, "settings": {"embeddings": {"semi_supervised": False}}},
            "semi_supervised has no effect without",
        ),
        ("classification", {"settings": {"finetuning": {"seeds": 2}}}, "seeds has no effect"),
        ("matching", {}, "--unlabelled has no effect on 'auto' for matching: vectors of the texts"),
        ("matching", {"unlabelled": None, "beside": ["v"]}, "--with has no effect on 'auto' for"),
        ("matching", {"unlabelled": None, "budget": "1m"}, "--budget has no effect on 'auto'"),
        (
            "matching",
            {"unlabelled": None, "settings": {"finetuning": {"seeds": 2}}},
            "seeds has no effect on 'auto' for matching",
        ),
        (
            "matching",
            {"unlabelled": None, "settings": {"embeddings": {"folds": 3}}},
            r"\[embeddings\] has no effect on 'auto' for matching",
        ),
        ("matching", {"unlabelled": None, "settings": {"linear": {"nope": 3}}}, "nope"),
        ("tagging", {"settings": {"training": {"nope": 3}}}, "nope"),
        (
            "tagging",
            {"settings": {"linear": {"min_count": 2}, "training": {"steps": 3}}},
            r"\[linear\] is of a chain, and \[training\] of a network",
        ),
        ("tagging", {"settings": {"linear": {"nope": 3}}}, "nope"),
        ("tagging", {"beside": ["no/such"], "unlabelled": None}, "no/such"),
        ("tagging", {"beside": ["v"], "unlabelled": ["a b"]}, "--unlabelled has no effect beside"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_pretrained(
    task: str,
    options: dict[str, Any],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "run_recipe", None)
    rows: list[Any] = {
        "classification": texts(30, 0),
        "matching": pairs(30),
        "tagging": [(["a", "b"], ["O", "B-X"])],
    }[task]
    more = {"unlabelled": [text for text, _ in texts(900, 1)], **options}
    with pytest.raises(ForetextError, match=sentence):
        ft.finetune(task, "auto", rows, tmp_path / "run", quiet=True, **more)
    assert not (tmp_path / "run" / "checkpoints").exists()


def test_a_base_of_the_users_is_read_beside_one_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    more = [text for text, _ in texts(900, 1)]
    ft.Word2Vec(vector_size=7, epochs=1, min_count=1).fit(more, out="word2vec")
    model = ft.finetune(
        "classification", "auto", texts(30, 0), beside="word2vec", unlabelled=more, quiet=True
    )
    sizes = {view.name: view.size for view in model.views}
    assert (sizes["word2vec"], sizes["word2vec (2)"]) == (7, 100)


def test_rows_that_are_held_out_for_figures_are_learned_from_at_the_end(tmp_path: Path) -> None:
    for name, budget in (("free", None), ("timed", "60s")):
        ft.finetune(
            "classification", "auto", texts(60, 0), tmp_path / name, budget=budget, quiet=True
        )
        assert facts_of(tmp_path / name)["refit"] == {"train": 54, "valid": 6}


def test_compare_does_not_try_what_chooses() -> None:
    with pytest.raises(SettingError, match="'auto': it chooses by itself"):
        named_candidate("auto", "classification")
