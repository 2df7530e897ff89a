"""The card of a trained task, as people read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from foretext.report.task_card import figure_name, task_card, task_title
from tests.report.task_facts import facts, spread

RUN = {"run": {"task": "classification", "train": "a.csv", "test": "b.csv"}}


def card(their_class: str | None = None, **changes: Any) -> str:
    return task_card(facts(**changes), RUN, Path("runs/mine"), their_class)


def test_figures_stand_beside_the_baseline() -> None:
    text = card()
    assert text.startswith("# Classification on encoder\n\nLearned by foretext 0.1.0 from 1,200")
    assert (
        "|  | this model, held out | counting, held out | this model, test | counting, test |"
        in text
    )
    assert "| accuracy | 0.8000 | 0.5000 | 0.7500 | 0.5000 |" in text
    assert "| macro F1 | 0.7000 | 0.4000 | 0.7000 | 0.4000 |" in text
    assert "- tested on: `b.csv`" in text
    assert "\n\n\n" not in text


def test_the_figure_that_counts_comes_first() -> None:
    rows = [line for line in card(judged_by="macro_f1").splitlines() if line.startswith("| ")]
    assert rows[2].startswith("| macro F1 |")


def test_without_rows_to_measure_on_it_says_so() -> None:
    text = card(valid=None, test=None, baseline=None)
    assert "It was measured on no rows." in text
    assert "| accuracy" not in text


def test_without_a_baseline_there_is_no_column_for_it() -> None:
    assert "|  | this model, held out | this model, test |" in card(baseline=None)


def test_seeds_are_told_by_mean_and_deviation() -> None:
    seeds = {"seeds": [1, 2, 3], "valid": spread(0.8), "test": spread(0.75)}
    assert "The best of 3 seeds" in card(seeds=seeds)
    assert "0.8000 ± 0.0100 (held out), 0.7500 ± 0.0100 (test)." in card(seeds=seeds)
    assert "seeds" not in card()


def test_who_answers_together_is_told() -> None:
    alone = {"valid": None, "test": {"accuracy": 0.625, "macro_f1": 0.5}}
    text = card(network=alone, valid=None)
    assert "|  | this model, test | the network alone, test | counting, test |" in text
    assert "| accuracy | 0.7500 | 0.6250 | 0.5000 |" in text
    assert "Network and linear classifier answer together" in text
    assert "together" not in card()
    assert "`transformers` reads the network alone" not in text


def test_rows_that_are_too_long_are_counted() -> None:
    assert "reads at once: 17 rows" in card(cut=17)
    assert "reads at once" not in card()


def test_a_folder_of_their_class_says_how_they_open_it() -> None:
    text = card("BertForSequenceClassification")
    assert 'BertForSequenceClassification.from_pretrained("runs/mine")' in text
    assert "`transformers` has no such" in card()


def test_the_verdict_its_command_and_the_warnings_stand_on_top() -> None:
    verdict = {"best": "baseline", "sentence": "Counting is better:", "command": "foretext it"}
    text = card(verdict=verdict, warnings=["All texts are alike."])
    assert "**Counting is better:**\n\n```console\n$ foretext it\n```\n\nWarning: All" in text
    assert text.index("Warning: All texts are alike.") < text.index("| accuracy |")


def test_the_features_of_a_linear_model_are_listed() -> None:
    text = card(informative_features={"sea": ["ship", "a ship"]})
    assert "## Most informative features" in text
    assert "| `sea` | `ship`, `a ship` |" in text
    assert "informative" not in card()


def test_title_and_usage_come_from_the_facts() -> None:
    assert task_title(facts("span_qa")) == "Question answering on encoder"
    text = card("BertForX", usage='model.ask("how far?")')
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        compile(code, "README.md", "exec")
    assert 'model.ask("how far?")' in text


STRUCTURE = [
    {"layer": "vectors", "shape": [3, 1000]},
    {"layer": "pooled (ends)", "shape": [1000]},
]


def test_a_network_shows_its_structure() -> None:
    text = card(structure=STRUCTURE)
    assert "## Structure" in text
    assert "| vectors | 3 × 1,000 |\n| pooled (ends) | 1,000 |" in text
    assert "## Structure" not in card()


def test_a_mix_of_layers_shows_its_weights() -> None:
    text = card(layer_weights={"embeddings": 0.25, "layer 1": 0.75})
    assert "## Layers" in text
    assert "| layer 1 | 0.750 |" in text
    assert "## Layers" not in card()


def test_a_teacher_and_more_pretraining_are_told() -> None:
    taught = {"name": "linear", "labelled": 1200, "unlabelled": 5000, "weight": 0.5}
    adapted = {"tokens": 90_000, "seconds": 61.2, "loss_before": 4.5, "loss_after": 3.75}
    text = card(taught=taught, adapted=adapted)
    assert "- teacher: `linear`, of 1,200 rows with labels and 5,000 without; its" in text
    assert "90,000 tokens of these texts for 61 s; held-out loss 4.500 before, 3.750 after" in text
    assert "teacher" not in card()
    few = {**adapted, "loss_before": None, "loss_after": None}
    assert "held-out loss" not in card(adapted=few)


def test_names_of_figures_of_retrieval() -> None:
    names = {"ndcg@10": "nDCG@10", "mrr@10": "MRR@10", "recall@1": "recall@1"}
    assert {name: figure_name(name) for name in names} == names
