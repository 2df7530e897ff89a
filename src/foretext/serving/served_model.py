"""The models of a server: each under a name, with what it can do."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from foretext.base.errors import ModelFileError
from foretext.serving.abilities import ABILITIES
from foretext.serving.ability import Ability
from foretext.serving.errors import CannotServe, Loading, UnknownModel
from foretext.serving.opening import open_model
from foretext.tokenizers.example_texts import example_texts

__all__ = ["Models", "ServedModel"]

REMEMBERED = 1 << 18  # characters, about as many as wait


class ServedModel:
    """A model under a name.

    Args:
        name: that requests call it by.
        model: what `foretext.load` opened; its `abilities` say what it does.
    """

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self.model = model
        self.kind: str = model.kind
        self.opened_at = int(time.time())  # seconds since 1970
        self._abilities: dict[str, Ability] = {}

    @property
    def abilities(self) -> tuple[str, ...]:
        """Names of what the model does."""
        names: tuple[str, ...] = self.model.abilities
        return names

    def ability(self, name: str) -> Ability:
        """Return one of the `abilities`.

        Raises:
            CannotServe: the model does something else.
        """
        if name not in self.abilities:
            raise CannotServe(
                f"The model '{self.name}' holds {self.kind} and has no '{name}'; it has: "
                f"{', '.join(self.abilities)}."
            )
        if name not in self._abilities:
            self._abilities[name] = ABILITIES.resolve(name)(self.model)
        return self._abilities[name]

    def get_ready(self) -> None:
        """Import and load what the model's abilities need, so that no request has to wait for it.

        Raises:
            ModelFileError: the model answers no requests.
            SettingError: one of its abilities does not exist.
        """
        if not self.abilities:
            raise ModelFileError(
                f"'{self.name}' holds {self.kind}, which answers no requests; serve another model."
            )
        if self.model.text_framing is not None:  # texts are counted before the model reads them
            self.model.tokenizer.remember_recent(REMEMBERED)
        for name in self.abilities:
            self.ability(name).get_ready()

    def info(self) -> dict[str, Any]:
        """Return what ``/info`` says of the model."""
        return {
            "name": self.name,
            "kind": self.kind,
            "abilities": list(self.abilities),
            **self._facts,
        }

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """What the model says of itself, and its examples; it does not learn while it is served."""
        facts: dict[str, Any] = self.model.served_facts()
        examples = example_texts(facts.get("languages"))
        return {**facts, "examples": {**examples, **facts.get("examples", {})}}


class Models:
    """The models of a server by name.

    Args:
        opened: name to what `foretext.load` opened.
        places: name to what is opened by `load`, after the server has begun to answer.
    """

    def __init__(
        self, opened: Mapping[str, Any], places: Mapping[str, Path] = MappingProxyType({})
    ) -> None:
        self._models = {name: ServedModel(name, model) for name, model in opened.items()}
        self._places = dict(places)
        self.is_loading = bool(places) or not opened

    def load(self) -> None:
        """Open what is not open yet; requests are answered once all is.

        Raises:
            ForetextError: as of `foretext.load`, or a model answers no requests.
        """
        for name, place in self._places.items():
            self._models[name] = ServedModel(name, open_model(place))
        for model in self._models.values():
            model.get_ready()
        self.is_loading = False

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(self._models.values())

    def find(self, name: str | None, ability: str) -> ServedModel:
        """Return the model that a request asks, or, without a name, the first that can do it.

        Raises:
            Loading: the models are not open yet.
            UnknownModel: there is none of this name.
            CannotServe: it does not have the ability, or no model has it.
        """
        if name is not None:
            return self.named(name)
        for model in self._opened:
            if ability in model.abilities:
                return model
        raise CannotServe(f"No model of this server has '{ability}'; /info says what they do.")

    def named(self, name: str | None) -> ServedModel:
        """Return the model of a name; without one, the first of all.

        Raises:
            Loading: the models are not open yet.
            UnknownModel: there is none of this name.
        """
        if name is None:
            return next(iter(self._opened))
        for model in self._opened:
            if model.name == name:
                return model
        names = ", ".join(self._models)
        raise UnknownModel(f"There is no model '{name}'; there are: {names}.")

    @property
    def _opened(self) -> Iterable[ServedModel]:
        """The models.

        Raises:
            Loading: they are not open yet.
        """
        if self.is_loading:
            raise Loading("The models are being loaded; ask again in a moment.")
        return self._models.values()
