"""A recipe: a TOML file whose sections are checked by the classes that they set up.

Word vectors have four sections, networks six:

    [corpus]      how the text is read           foretext.corpus.CorpusConfig
    [tokenizer]   what a token is                WordTokenizer.Config, or name = "wordpiece", ...
    [data]        what is held out               DataConfig
    [vectors]     name = "word2vec", ...         the Config of the class of that name

    [backbone]    name = "transformer", ...      likewise
    [objective]   name = "masked_lm", ...        likewise
    [training]    how a network is trained       foretext.training.settings.TrainingConfig

Autoencoders have ``[autoencoder]``, ``[reconstruction]``, ``[data]`` and ``[training]``. Which
sections a recipe has is said by its kind (`foretext.kinds`).

No file lists all settings. What a recipe leaves out has its class's default; a resolved recipe, as
a run keeps it, leaves nothing out.

``name = "package.module:Class"`` runs the code of that module. What the user writes may do so:
``--set``, a file given with ``--config``, Python. A recipe that is read from a file may name only
modules that are trusted (`foretext.base.registry.trust`).

What a user writes over a recipe: ``--set SECTION.NAME=VALUE``, or settings in Python. In Python,
settings are a dict of sections, or a list such as ``["training.epochs=3"]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeGuard, cast

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import ModelFileError, OutputError, SettingError, did_you_mean, suggestion
from foretext.base.parsing import parse_toml_value, read_toml
from foretext.base.registry import trust
from foretext.base.sizes import split_size
from foretext.corpus import CorpusConfig
from foretext.data.settings import DataConfig
from foretext.kinds import KINDS, Kind
from foretext.messages import message, sentences
from foretext.recipe.named_recipe import is_recipe_name, read_recipe
from foretext.recipe.sections import Section, Sections, kind_of, owners_of
from foretext.recipes import recipe_names
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.schedule import VectorsConfig

__all__ = [
    "GivenSections",
    "GivenValues",
    "Recipe",
    "corpus_config",
    "corpus_of_run",
    "given_by_candidate",
    "given_sections",
    "given_values",
    "names_recipe",
    "overridden",
    "read_overrides",
]

GivenSections: TypeAlias = Mapping[str, Mapping[str, Any]] | Sequence[str]
GivenValues: TypeAlias = Mapping[str, Any] | Sequence[str]


@dataclass(frozen=True)
class Recipe:
    """All settings of one run, and which of them the user chose."""

    parts: Mapping[str, Section]
    chosen: frozenset[str] = field(default=frozenset(), compare=False)  # "section.setting"

    @property
    def name(self) -> str:
        """The component that learns, or its objective."""
        return str(self.parts[str(kind_of(self.parts).section)].name)

    @property
    def kind(self) -> Kind:
        """What a run of the recipe holds in the end."""
        return KINDS[self.vectors.kind] if "vectors" in self.parts else kind_of(self.parts)

    @property
    def corpus(self) -> CorpusConfig:
        """How the text is read."""
        return cast(CorpusConfig, self.parts["corpus"].config)

    @property
    def tokenizer(self) -> WordTokenizer.Config:
        """What a word is, for word vectors."""
        return cast(WordTokenizer.Config, self.parts["tokenizer"].config)

    @property
    def data(self) -> DataConfig:
        """What is held out."""
        return cast(DataConfig, self.parts["data"].config)

    @property
    def vectors(self) -> VectorsConfig:
        """How word vectors are learned."""
        return cast(VectorsConfig, self.parts["vectors"].config)

    @property
    def of_words(self) -> VectorsConfig:
        """How what learns from whole words does so: its threads, its seed, its time."""
        return cast(VectorsConfig, self.parts[str(self.kind.section)].config)

    @property
    def timed_section(self) -> str:
        """The section that says how long is learned: that of a training, or of what learns."""
        return "training" if "training" in self.parts else str(self.kind.section)

    @classmethod
    @checked_arguments
    def load(
        cls,
        recipe: str | Path,
        overrides: GivenSections = (),
        config: str | Path | None = None,
    ) -> Self:
        """Read a recipe that comes with foretext, by name, or a TOML file.

        Args:
            recipe: ``"word2vec"``, ``"bert-mini"`` or a path that ends in ``.toml``.
            config: a TOML file whose settings go over the recipe's.
            overrides: ``["section.setting=value"]``, the value as TOML writes it (or a bare word),
                or a dict of sections.

        Raises:
            SettingError: no such recipe, section or setting, or a value that is not allowed.
            UntrustedError: the file `recipe` names code from outside foretext.
        """
        base = read_recipe(recipe)
        given = {} if config is None else read_toml(Path(config), SettingError)
        for section, values in given_sections(overrides, "--set ").items():
            given[section] = {**given.get(section, {}), **values}
        _trust_names(given)
        sections = _merged(base, given)
        chosen = _named(given) | _chosen_by_name(recipe, base)
        return cls.from_sections(sections, chosen, source=Path(recipe))

    @classmethod
    @checked_arguments
    def of_run(cls, path: Path) -> Self:
        """Read the recipe that a run keeps.

        Raises:
            ModelFileError: the file is missing or damaged, or it has settings of another version.
            UntrustedError: it names code from outside foretext.
        """
        sections = read_toml(path, ModelFileError)
        try:
            return cls.from_sections(sections, source=path)
        except SettingError as error:
            raise ModelFileError(f"{path}: {error}") from error

    @classmethod
    @checked_arguments
    def from_sections(
        cls,
        sections: Mapping[str, Mapping[str, Any]],
        chosen: AbstractSet[str] | None = None,
        *,
        source: Path | None = None,
    ) -> Self:
        """Check each section by the class it sets up.

        Args:
            sections: settings by section.
            chosen: what the user chose of them, as "section.setting"; None: all.
            source: the file that they were read from; None: the user wrote them.

        Raises:
            SettingError: no such section or setting, or a value that is not allowed.
            UntrustedError: `source` names code from outside foretext.
        """
        owners = owners_of(sections)
        for section in sections:
            if section not in owners:
                there_are = message("errors.there_are", names=", ".join(owners))
                hint = suggestion(section, owners) or there_are
                said = message("errors.no_section", section=section)
                raise SettingError(sentences([said, hint]))
        return cls(
            {
                section: owner.checked(section, sections.get(section, {}), source)
                for section, owner in owners.items()
            },
            _named(sections) if chosen is None else frozenset(chosen),
        )

    @classmethod
    @checked_arguments
    def from_settings(cls, name: str, settings: Mapping[str, Any]) -> Self:
        """Sort settings without sections, as Python callers give them, into the right ones.

        Args:
            name: of a recipe that comes with foretext.
            settings: by name; one that two sections know is the first one's.

        Raises:
            SettingError: no section has such a setting, or a value is not allowed.
        """
        base = cls.load(name)
        sections, chosen = base._given(), set(base.chosen)
        for setting, value in settings.items():
            homes = [
                section
                for section, part in base.parts.items()
                if setting in type(part.config).model_fields
            ]
            if not homes:
                known = [field for part in base.parts.values() for field in part.settings()]
                said = message("errors.no_setting_of", setting=setting, name=name)
                raise SettingError(sentences([said, suggestion(setting, known)]))
            sections[homes[0]][setting] = value
            chosen.add(f"{homes[0]}.{setting}")
        return cls.from_sections(sections, frozenset(chosen))

    @checked_arguments
    def with_settings(self, section: str, **settings: Any) -> Self:
        """Return the recipe with some settings of a section changed, which no user chose.

        Args:
            section: its name, such as "training".
            **settings: those that change, by name.

        Raises:
            SettingError: there is no such section or setting, or it has no such value.
        """
        sections = self._given()
        if section not in sections:
            raise SettingError(
                f"[{section}]: the recipe has no such section.{did_you_mean(section, sections)}"
            )
        sections[section].update(settings)
        return self.from_sections(sections, self.chosen)

    @checked_arguments
    def with_config(self, section: str, config: Config) -> Self:
        """Return the recipe with other settings of a section.

        Args:
            section: its name, such as "training".
            config: all of its settings.
        """
        return replace(
            self, parts={**self.parts, section: Section(self.parts[section].name, config)}
        )

    @checked_arguments
    def with_budget(self, seconds: float) -> Self:
        """Return the recipe with a wall-clock budget in place of its epochs or steps."""
        section = self.timed_section
        sections = self._given()
        for length in ("epochs", "steps"):
            sections[section].pop(length, None)
        sections[section]["budget_seconds"] = seconds
        return self.from_sections(sections, self.chosen)

    @checked_arguments
    def with_length_of(self, other: Recipe) -> Self:
        """Return the recipe with the wall-clock time that `other` gives its training, if any."""
        seconds = other.parts[other.timed_section].settings()["budget_seconds"]
        return self if seconds is None else self.with_budget(seconds)

    def _given(self) -> Sections:
        return {section: part.settings(given=True) for section, part in self.parts.items()}

    def sections(self) -> Sections:
        """Return every setting that has a value, as TOML keeps them: it knows no None."""
        return {section: part.kept() for section, part in self.parts.items()}

    def all_settings(self) -> Sections:
        """Return every setting with its value."""
        return {section: part.settings() for section, part in self.parts.items()}

    def text(self) -> str:
        """Return the resolved recipe as TOML."""
        import tomli_w

        return tomli_w.dumps(self.sections())

    @checked_arguments
    def save(self, path: str | Path) -> None:
        """Write the resolved recipe as TOML.

        Raises:
            OutputError: it cannot be written.
        """
        try:
            Path(path).write_text(self.text(), encoding="utf-8", newline="\n")
        except OSError as error:
            raise OutputError(
                f"{path} cannot be written ({error.strerror}); choose another file."
            ) from None


def _merged(base: Sections, given: Sections) -> Sections:
    """Put what the user chose over a recipe.

    Where the user names another component, settings of the recipe's that it does not have go.
    """
    owners = owners_of({**base, **given})
    sections = {section: dict(values) for section, values in base.items()}
    for section, values in given.items():
        before, name = sections.get(section, {}), values.get("name")
        if isinstance(name, str) and name != before.get("name") and section in owners:
            before = owners[section].shared(before, name)
        sections[section] = {**before, **values}
    return sections


def _trust_names(sections: Sections) -> None:
    """Trust the code that the user named."""
    for values in sections.values():
        if ":" in (name := str(values.get("name", ""))):
            trust(name)


def _named(sections: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(f"{section}.{name}" for section, values in sections.items() for name in values)


def _chosen_by_name(recipe: str | Path, base: Sections) -> frozenset[str]:
    """What a user chose by naming a recipe: its size; everything, where the recipe is a file."""
    name, size = split_size(str(recipe))
    if name not in recipe_names():
        return _named(base)
    return frozenset() if size is None else _named({"backbone": size._asdict()})


def corpus_config(settings: Mapping[str, Any]) -> CorpusConfig:
    """Check the settings of ``[corpus]``."""
    return CorpusConfig.checked(dict(settings), "corpus")


def corpus_of_run(path: Path) -> CorpusConfig:
    """Read how a run read its text from the recipe that it keeps; no other section is looked at.

    Whether lines are wrapped is left open: that is seen from the file that is read.

    Raises:
        ModelFileError: the file is missing or damaged.
    """
    sections = read_toml(path, ModelFileError)
    try:
        return corpus_config({**sections.get("corpus", {}), "lines": "auto"})
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error


def read_overrides(overrides: Sequence[str], sections: Sequence[str]) -> Sections:
    """Sort ``"section.setting=value"`` by section, for verbs that know only some of them."""
    given = overridden({}, overrides)
    for section in given:
        if section not in sections:
            raise SettingError(
                f"--set {section}: there is no such section here.{did_you_mean(section, sections)} "
                f"There are: {', '.join(sections)}."
            )
    return given


def overridden(sections: Sections, overrides: Sequence[str], said: str = "--set ") -> Sections:
    """Set each ``section.setting=value`` in `sections`, and return them.

    Args:
        sections: settings by section.
        overrides: what is set in them.
        said: how errors begin, as the user knows what was given.
    """
    for override in overrides:
        section, setting, value = _override(override, said)
        sections.setdefault(section, {})[setting] = value
    return sections


def given_sections(settings: GivenSections | None, said: str = "settings: ") -> Sections:
    """Return settings by section, from a dict of sections or a list of ``"section.name=value"``.

    Args:
        settings: of either form.
        said: how errors begin.

    Raises:
        SettingError: they are neither, or one of them has another form.
    """
    if _are_texts(settings):
        return overridden({}, settings, said)
    given: Any = {} if settings is None else settings
    if not isinstance(given, Mapping) or not all(
        isinstance(each, Mapping) for each in given.values()
    ):
        raise SettingError(
            f"settings = {repr(settings)[:60]}: give a dict of sections, such as "
            "{'training': {'epochs': 3}}, or a list, such as ['training.epochs=3']."
        )
    return {section: dict(values) for section, values in given.items()}


def given_values(settings: GivenValues | None, section: str) -> dict[str, Any]:
    """Return the settings of one section, from a dict or from a list of ``"name=value"``.

    Raises:
        SettingError: they are neither, or one of them has another form or section.
    """
    if not _are_texts(settings):
        given: Any = {} if settings is None else settings
        if not isinstance(given, Mapping):
            raise SettingError(
                f"settings = {repr(settings)[:60]}: give a dict of settings by name, or a list, "
                "such as ['name=value']."
            )
        return dict(given)
    prefix = f"{section}."
    found = [each if each.startswith(prefix) else prefix + each for each in settings or ()]
    return overridden({}, found, "settings: ").get(section, {})


def given_by_candidate(
    settings: Mapping[str, Mapping[str, Mapping[str, Any]]] | Sequence[str] | None,
) -> dict[str, Sections]:
    """Return settings by candidate, from dicts or a list of ``"candidate:section.name=value"``.

    Raises:
        SettingError: they are neither, or one of them has another form.
    """
    if not _are_texts(settings):
        given: Any = {} if settings is None else settings
        if isinstance(given, Mapping):
            return {name: given_sections(sections) for name, sections in given.items()}
        raise SettingError(
            f"settings = {repr(settings)[:60]}: give a dict of candidates, or a list, such as "
            "['modern-bert:training.epochs=3']."
        )
    single: dict[str, list[str]] = {}
    for each in settings or ():
        names, equals, value = str(each).partition("=")
        candidate, colon, name = names.rpartition(":")
        if not colon:
            raise SettingError(
                f"settings: {each}: say which candidate is meant, such as 'modern-bert:{each}'; "
                "the arguments rows and text set how these are read."
            )
        single.setdefault(candidate, []).append(f"{name}{equals}{value}")
    return {name: given_sections(values) for name, values in single.items()}


def _are_texts(settings: Any) -> TypeGuard[Sequence[str]]:
    """Whether settings are a list of texts."""
    return isinstance(settings, list | tuple) and all(isinstance(each, str) for each in settings)


def _override(text: str, said: str) -> tuple[str, str, Any]:
    """Take ``section.setting=value`` apart."""
    target, equals, value = text.partition("=")
    section, dot, setting = target.strip().partition(".")
    if not (equals and dot and section and setting):
        raise SettingError(message("options.general.setting_form", said=said, text=text))
    return section, setting, parse_toml_value(value.strip(), f"{said}{target}", SettingError)


def names_recipe(given: object) -> bool:
    """Whether something is a recipe, or the name of one; a path that is there names a run."""
    if not isinstance(given, str | Path):
        return isinstance(given, Recipe)
    try:
        return is_recipe_name(given) or not Path(given).exists()
    except (OSError, ValueError):  # too long for a path, or with NUL
        return True
