"""`ft.distill`: one call for both forms, equal to the verb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.language_model import LanguageModel
from tests.cli.conftest import Command, command  # noqa: F401  a fixture
from tests.language_model.models import SENTENCES, bert


def test_static_vectors_are_those_of_the_verb(
    tmp_path: Path,
    command: Command,  # noqa: F811
) -> None:
    bert().save(tmp_path / "bert")
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n\n".join(SENTENCES * 5) + "\n")
    made = ft.distill(tmp_path / "bert", tmp_path / "by-python", corpus, dim=4, num_texts=10)
    options = ("--corpus", corpus, "--dim", 4, "--num-texts", 10)
    assert command("distill", tmp_path / "bert", "-o", tmp_path / "by-verb", *options).code == 0
    texts = SENTENCES[:2]
    for folder in ("by-python", "by-verb"):
        np.testing.assert_array_equal(ft.load(tmp_path / folder).embed(texts), made.embed(texts))


def test_a_network_has_fewer_layers(tmp_path: Path) -> None:
    settings = {"training": {"steps": 2, "valid_steps": 2}}
    made = ft.distill(
        bert(), None, ft.texts(SENTENCES * 20), into="network", layers=1, settings=settings
    )
    assert isinstance(made.model, LanguageModel)
    assert made.model.backbone.num_layers == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layers": 2}, "layers has no effect on into = 'static'"),
        ({"num_texts": 5}, "num_texts has no effect without corpus"),
        ({"into": "network", "layers": 1}, "needs corpus, a text to learn on, and layers"),
        ({"into": "network", "corpus": "corpus.txt"}, "needs corpus, a text to learn on"),
        ({"into": "network", "dim": 8}, "dim has no effect on into = 'network'"),
        ({"dimm": 8}, "dimm"),
    ],
)
def test_options_without_effect_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        ft.distill("no-model", **options)
