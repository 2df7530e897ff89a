from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.messages import in_language
from foretext.shown import Grid, Note, Table
from tests.shown_runs import check_shown
from tests.task_files import small_settings, write_task_files

TEXT = "the dog barks"


@pytest.fixture(scope="module", params=[True, False], ids=["crf", "softmax"])
def tagger(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("tagger")
    files = write_task_files(folder)
    settings = {**small_settings("lstm"), "task": {"crf": request.param}}
    settings["finetuning"] = {"baseline": False}
    ft.finetune("tagging", "lstm", files.train("tagging"), folder / "run", settings=settings)
    return ft.load(folder / "run")


def named(shown: Any, title: str) -> Any:
    (part,) = (part for part in shown.parts if getattr(part, "title", "").startswith(title))
    return part


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_scores_and_probabilities_are_those_of_all_paths(
    tagger: Any, temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tagger, "temperature", temperature)
    with in_language("en"):
        (shown,) = tagger.show([TEXT])
    said = [part.text for part in shown.parts if isinstance(part, Note)]
    assert any(f"temperature of {temperature:.3f}" in text for text in said) == (temperature != 1)
    emissions = np.array(named(shown, "Emissions").values)
    marginals = np.array(named(shown, "Probability of each tag").values)
    T, C = emissions.shape
    np.testing.assert_allclose(marginals.sum(1), 1, atol=1e-3)
    crf = tagger.head.crf
    scores = {}
    with torch.no_grad():
        for path in itertools.product(range(C), repeat=T):
            score = sum(emissions[token, tag] for token, tag in enumerate(path))
            if crf is not None:
                chain = crf._chain()
                steps = [float(chain.transitions[a, b]) for a, b in itertools.pairwise(path)]
                score += sum(steps) + float(chain.start[path[0]]) + float(chain.end[path[-1]])
            scores[path] = float(score)
    total = np.logaddexp.reduce(list(scores.values()))
    expected = np.zeros((T, C))
    for path, score in scores.items():
        expected[np.arange(T), path] += np.exp(score - total)
    np.testing.assert_allclose(marginals, expected, atol=2e-3)
    table = named(shown, "What each token adds")
    best = max(scores, key=lambda path: scores[path])
    names = named(shown, "Emissions").columns
    assert [row[1] for row in table.rows] == [names[tag] for tag in best]
    if crf is None:
        return
    added = sum(row[3] + row[4] for row in table.rows)
    assert added == pytest.approx(scores[best], abs=2e-3)
    paths = named(shown, "The best paths")
    ranked = sorted(scores.values(), reverse=True)
    for row, score in zip(paths.rows, ranked, strict=False):
        assert row[1] == pytest.approx(score, abs=2e-3)
        assert row[2] == pytest.approx(np.exp(score - total), abs=2e-3)
    assert paths.rows[0][3] == ""
    assert paths.rows[1][3] != ""


def test_a_forbidden_step_has_no_score(tagger: Any) -> None:
    if tagger.head.crf is None:
        pytest.skip("there are no steps")
    with in_language("en"):
        (shown,) = tagger.show([TEXT])
    grid = named(shown, "Scores of steps")
    assert isinstance(grid, Grid)
    allowed = tagger.head.crf.allowed.tolist()
    found = [[value is not None for value in row[:-1]] for row in grid.values[1:]]
    assert found == allowed


def test_a_long_text_is_shown_as_far_as_it_can_be_read(tagger: Any) -> None:
    (shown,) = check_shown(tagger, [f"{TEXT} " * 40])
    grids = [part for part in shown.parts if isinstance(part, Grid)]
    assert max(len(grid.rows) for grid in grids) == 64
    tables = [part for part in shown.parts if isinstance(part, Table)]
    assert len(tables[0].rows) == 120
