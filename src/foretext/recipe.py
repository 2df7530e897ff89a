"""A recipe: a TOML file whose sections are checked by the classes that they set up.

    [corpus]      how the text is read           foretext.corpus.CorpusConfig
    [tokenizer]   what a token is                WordTokenizer.Config
    [data]        what is held out               DataConfig
    [vectors]     name = "word2vec", ...         the Config of the class of that name

No file lists all settings. What a recipe leaves out has its class's default; a resolved recipe, as
it is kept with a run, leaves nothing out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Self

from foretext.config import Config
from foretext.corpus import CorpusConfig
from foretext.data.settings import DataConfig
from foretext.errors import SettingError, did_you_mean
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors import VECTORS
from foretext.vectors.schedule import TrainingConfig

__all__ = ["Recipe", "corpus_config", "read_overrides", "recipe_names"]

Sections = dict[str, dict[str, Any]]


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with foretext."""
    files = resources.files("foretext") / "recipes"
    return sorted(Path(file.name).stem for file in files.iterdir() if file.name.endswith(".toml"))


@dataclass(frozen=True)
class Recipe:
    """All that the user chose for one run."""

    name: str  # of the component that learns
    corpus: CorpusConfig
    tokenizer: WordTokenizer.Config
    data: DataConfig
    vectors: TrainingConfig

    @classmethod
    def load(
        cls,
        recipe: str | Path,
        overrides: Sequence[str] = (),
        config: str | Path | None = None,
    ) -> Self:
        """Read a recipe that comes with foretext, by name, or a TOML file.

        Args:
            recipe: ``"word2vec"`` or a path that ends in ``.toml``.
            config: a TOML file whose settings go over the recipe's.
            overrides: ``"section.setting=value"``, the value as TOML writes it (or a bare word).

        Raises:
            SettingError: no such recipe, section or setting, or a value that is not allowed.
        """
        sections = _read(recipe)
        if config is not None:
            for section, values in _read_file(Path(config)).items():
                sections.setdefault(section, {}).update(values)
        return cls.from_sections(_overridden(sections, overrides))

    @classmethod
    def from_sections(cls, sections: Mapping[str, Mapping[str, Any]]) -> Self:
        """Check each section by the class it sets up."""
        learner = dict(sections.get("vectors", {}))
        name = learner.pop("name", None)
        if name is None:
            raise SettingError(f"[vectors] name: say what is to learn: {', '.join(VECTORS)}.")
        classes = _classes(name)
        for section in sections:
            if section not in classes:
                hint = did_you_mean(section, classes) or f" There are: {', '.join(classes)}."
                raise SettingError(f"[{section}]: a recipe has no such section.{hint}")
        given = {**sections, "vectors": learner}
        configs = {
            section: config.checked(dict(given.get(section, {})), section)
            for section, config in classes.items()
        }
        return cls(name, **configs)  # type: ignore[arg-type]

    @classmethod
    def from_settings(cls, name: str, settings: Mapping[str, Any]) -> Self:
        """Sort settings without sections, as Python callers give them, into the right ones."""
        classes = _classes(name)
        sections: Sections = {"vectors": {"name": name}}
        for setting, value in settings.items():
            owners = [section for section in classes if setting in classes[section].model_fields]
            if not owners:
                known = [field for config in classes.values() for field in config.model_fields]
                raise SettingError(
                    f"{setting}: {name} has no such setting.{did_you_mean(setting, known)}"
                )
            sections.setdefault(owners[0], {})[setting] = value
        return cls.from_sections(sections)

    def with_budget(self, seconds: float) -> Self:
        """Return the recipe with a wall-clock budget in place of its epochs."""
        settings = self.vectors.model_dump(exclude_unset=True, exclude={"epochs"})
        learner = {"name": self.name, **settings, "budget_seconds": seconds}
        return self.from_sections({**self._given(), "vectors": learner})

    def _given(self) -> Sections:
        configs = {"corpus": self.corpus, "tokenizer": self.tokenizer, "data": self.data}
        return {
            section: config.model_dump(exclude_unset=True) for section, config in configs.items()
        }

    def sections(self) -> Sections:
        """Return every setting that has a value, as TOML keeps them: it knows no None."""
        return {
            section: {setting: value for setting, value in values.items() if value is not None}
            for section, values in self.all_settings().items()
        }

    def all_settings(self) -> Sections:
        """Return every setting with its value."""
        configs = {"corpus": self.corpus, "tokenizer": self.tokenizer, "data": self.data}
        dumped = {section: config.model_dump() for section, config in configs.items()}
        dumped["vectors"] = {"name": self.name, **self.vectors.model_dump()}
        return dumped

    def save(self, path: Path) -> None:
        """Write the resolved recipe as TOML."""
        import tomli_w

        path.write_text(tomli_w.dumps(self.sections()), encoding="utf-8")


def _classes(name: str) -> dict[str, type[Config]]:
    return {
        "corpus": CorpusConfig,
        "tokenizer": WordTokenizer.Config,
        "data": DataConfig,
        "vectors": VECTORS.resolve(name).Config,
    }


def _read(recipe: str | Path) -> Sections:
    if str(recipe) in recipe_names():
        text = (resources.files("foretext") / "recipes" / f"{recipe}.toml").read_text("utf-8")
        return tomllib.loads(text)
    if Path(recipe).suffix != ".toml":
        hint = did_you_mean(str(recipe), recipe_names())
        raise SettingError(
            f"There is no recipe '{recipe}'.{hint} There are: {', '.join(recipe_names())}, "
            "or give the path of a .toml file."
        )
    return _read_file(Path(recipe))


def _read_file(path: Path) -> Sections:
    try:
        sections = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise SettingError(f"{path}: there is no such recipe file.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"{path} is not TOML: {error}.") from None
    for name, values in sections.items():
        if not isinstance(values, dict):
            raise SettingError(f"{path}: '{name}' stands outside of a section; write it below one.")
    return sections


def corpus_config(settings: Mapping[str, Any]) -> CorpusConfig:
    """Check the settings of ``[corpus]`` alone, for verbs that only read text."""
    return CorpusConfig.checked(dict(settings), "corpus")


def read_overrides(overrides: Sequence[str], sections: Sequence[str]) -> Sections:
    """Sort ``"section.setting=value"`` by section, for verbs that know only some of them."""
    given = _overridden({}, overrides)
    for section in given:
        if section not in sections:
            raise SettingError(
                f"--set {section}: there is no such section here.{did_you_mean(section, sections)} "
                f"There are: {', '.join(sections)}."
            )
    return given


def _overridden(sections: Sections, overrides: Sequence[str]) -> Sections:
    """Set each ``section.setting=value`` in `sections`."""
    for override in overrides:
        section, setting, value = _override(override)
        sections.setdefault(section, {})[setting] = value
    return sections


def _override(text: str) -> tuple[str, str, Any]:
    """Take ``section.setting=value`` apart."""
    target, equals, value = text.partition("=")
    section, dot, setting = target.strip().partition(".")
    if not (equals and dot and section and setting):
        raise SettingError(f"--set {text}: write it as section.setting=value.")
    try:
        return section, setting, tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return section, setting, value.strip()
