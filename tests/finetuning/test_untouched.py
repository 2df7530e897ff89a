"""The base as it was, where its vectors answer the rows: a model has to be better than that."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.metrics import spearman
from foretext.run_folder import RunFolder
from foretext.vectors.word_vectors import WordVectors

WORDS = ["cat", "dog", "wolf", "king", "queen", "ship", "boat", "wave"]
QUICK = ["training.steps=2", "training.batch_examples=4"]


def vectors() -> WordVectors:
    """Words, each of which is nearer to its neighbours in the list than to the others."""
    angles = np.linspace(0, np.pi / 2, len(WORDS))
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    return WordVectors(WORDS, circle, np.ones(len(WORDS), np.int64))


def write_pairs(path: Path) -> Path:
    """Pairs of single words, whose score is their distance in the list, turned around."""
    rows = [
        {"text_a": first, "text_b": second, "score": 10 - abs(i - j)}
        for i, first in enumerate(WORDS)
        for j, second in enumerate(WORDS)
        if i != j
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_word_vectors_beside_a_matcher_of_scores(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl")
    out = tmp_path / "run"
    ft.finetune("matching", vectors(), pairs, out, test=pairs, rows={"score": "score"},
                settings=QUICK, quiet=True)  # fmt: skip
    facts = RunFolder(out).facts()
    assert facts["untouched"]["name"] == "the base as it was"
    assert facts["untouched"]["test"]["spearman"] > 0.98
    verdict = facts["verdict"]
    assert verdict["against"] == "untouched"
    assert verdict["best"] != "model"
    assert "the untouched base" in verdict["sentence"].lower()
    assert "The base answers these rows without this training" in verdict["sentence"]
    assert "the base as it was" in (out / "README.md").read_text(encoding="utf-8")


def test_a_language_model_beside_the_sentence_encoder_that_it_becomes(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl")
    model = ft.load(bases["bert"])
    firsts, seconds, scores = zip(
        *[(each["text_a"], each["text_b"], each["score"]) for each in
          map(json.loads, pairs.read_text(encoding="utf-8").splitlines())], strict=True
    )  # fmt: skip
    units = [own / np.linalg.norm(own, axis=1, keepdims=True)
             for own in (model.embed(list(firsts)), model.embed(list(seconds)))]  # fmt: skip
    right = spearman(np.array(scores, float), (units[0] * units[1]).sum(axis=1))
    out = tmp_path / "run"
    ft.finetune("sentence_vectors", bases["bert"], pairs, out, test=pairs, settings=QUICK,
                quiet=True)  # fmt: skip
    facts = RunFolder(out).facts()
    assert facts["untouched"]["test"]["spearman"] == pytest.approx(right, abs=1e-3)
    rivals = {facts[name]["test"]["spearman"] for name in ("baseline", "untouched")}
    figure = f"{max(rivals):.3f}"
    assert figure in facts["verdict"]["sentence"]


def test_labels_and_bases_without_vectors_have_no_such_rival(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    rows = [(f"{first} a", f"{second} b", "yes" if first == second else "no")
            for first in WORDS[:4] for second in WORDS[:4]]  # fmt: skip
    for base in (bases["bert"], "textcnn"):
        out = tmp_path / Path(base).name
        ft.finetune("matching", base, rows, out, test=rows, settings=QUICK, quiet=True)
        facts = RunFolder(out).facts()
        assert facts["untouched"] is None
