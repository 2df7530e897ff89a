"""What a model loads for its first answer is there before the first request."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pytest

from foretext.base.errors import ModelFileError
from foretext.serving.abilities import ABILITIES
from foretext.serving.abilities.search import Search, SearchOptions
from foretext.serving.served_model import ServedModel
from tests.serving.models import NAMES

LOADING = {"embed", "predict", "tag", "answer", "translate", "generate", "fill", "search"}


@pytest.mark.parametrize("name", NAMES)
def test_abilities_answer_their_samples_before_requests(
    models: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    served, asked = ServedModel(name, models[name]), list[str]()
    for ability in served.abilities:
        kind = ABILITIES.resolve(ability)
        monkeypatch.setattr(kind, "run", _noting(kind.run, ability, asked))
    served.get_ready()
    assert set(asked) == LOADING & set(served.abilities)
    assert len(asked) == len(set(asked))


def _noting(run: Any, name: str, asked: list[str]) -> Any:
    def noted(self: Any, items: Sequence[Any], options: Hashable) -> list[Any]:
        asked.append(name)
        found: list[Any] = run(self, items, options)
        assert len(found) == len(items) == 1
        return found

    return noted


def test_an_index_without_its_model_still_gets_ready() -> None:
    class Lost:
        def search(self, queries: Sequence[str], k: int, *, by: str) -> list[Any]:
            raise ModelFileError("its model is missing")

    search = Search(Lost())
    with pytest.raises(ModelFileError):
        search.run(["a"], SearchOptions())
    search.get_ready()
