"""A recipe: a TOML file whose sections are checked by the classes that they set up.

Word vectors have four sections, networks six:

    [corpus]      how the text is read           foretext.corpus.CorpusConfig
    [tokenizer]   what a token is                WordTokenizer.Config, or name = "wordpiece", ...
    [data]        what is held out               DataConfig
    [vectors]     name = "word2vec", ...         the Config of the class of that name

    [backbone]    name = "transformer", ...      likewise
    [objective]   name = "masked_lm", ...        likewise
    [training]    how a network is trained       foretext.training.settings.TrainingConfig

Autoencoders have ``[autoencoder]``, ``[reconstruction]``, ``[data]`` and ``[training]``.

No file lists all settings. What a recipe leaves out has its class's default; a resolved recipe, as
it is kept with a run, leaves nothing out.

``name = "package.module:Class"`` runs the code of that module. What the user writes may do so:
``--set``, a file given with ``--config``, Python. A recipe that is read from a file may name only
modules that are trusted (`foretext.registry.trust`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from foretext.backbones import AUTOENCODERS, BACKBONES
from foretext.config import Config
from foretext.corpus import CorpusConfig
from foretext.data.settings import DataConfig
from foretext.errors import ModelFileError, SettingError, did_you_mean
from foretext.objectives import OBJECTIVES
from foretext.parsing import parse_toml, parse_toml_value, read_toml
from foretext.registry import Registry, imported, trust
from foretext.sizes import split_size
from foretext.tokenizers.subwords import SUBWORDS
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors import VECTORS
from foretext.vectors.schedule import VectorsConfig

__all__ = ["Recipe", "Section", "corpus_config", "corpus_of_run", "read_overrides", "recipe_names"]

Sections = dict[str, dict[str, Any]]
Owner = type[Config] | str | Registry  # of a section: a class, or a table whose row it names

VECTOR_SECTIONS: dict[str, Owner] = {
    "corpus": CorpusConfig,
    "tokenizer": WordTokenizer.Config,
    "data": DataConfig,
    "vectors": VECTORS,
}
NETWORK_SECTIONS: dict[str, Owner] = {
    "corpus": CorpusConfig,
    "tokenizer": SUBWORDS,
    "data": DataConfig,
    "backbone": BACKBONES,
    "objective": OBJECTIVES,
    "training": "foretext.training.settings:TrainingConfig",  # imported where PyTorch is wanted
}
AUTOENCODER_SECTIONS: dict[str, Owner] = {
    "autoencoder": AUTOENCODERS,
    "reconstruction": "foretext.objectives.reconstruction:ReconstructionConfig",
    "data": DataConfig,
    "training": "foretext.training.settings:TrainingConfig",
}


class Section(NamedTuple):
    """What a section says: the component that it names, if it names one, and its settings."""

    name: str | None
    config: Config

    def settings(self, *, given: bool = False) -> dict[str, Any]:
        """Return the settings, all or those that were given, with the name first."""
        named = {} if self.name is None else {"name": self.name}
        return {**named, **self.config.model_dump(exclude_unset=given)}


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with foretext."""
    files = resources.files("foretext") / "recipes"
    return sorted(Path(file.name).stem for file in files.iterdir() if file.name.endswith(".toml"))


@dataclass(frozen=True)
class Recipe:
    """All settings of one run, and which of them the user chose."""

    parts: Mapping[str, Section]
    chosen: frozenset[str] = field(default=frozenset(), compare=False)  # "section.setting"

    @property
    def name(self) -> str:
        """The component that learns, or what it is asked."""
        learners = ("vectors", "objective", "autoencoder")
        return str(next(self.parts[part].name for part in learners if part in self.parts))

    @property
    def is_network(self) -> bool:
        """Whether a network is trained; word vectors are no network."""
        return "objective" in self.parts

    @property
    def is_autoencoder(self) -> bool:
        """Whether examples are reconstructed; that needs no text."""
        return "autoencoder" in self.parts

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

    @classmethod
    def load(
        cls,
        recipe: str | Path,
        overrides: Sequence[str] = (),
        config: str | Path | None = None,
    ) -> Self:
        """Read a recipe that comes with foretext, by name, or a TOML file.

        Args:
            recipe: ``"word2vec"``, ``"bert-mini"`` or a path that ends in ``.toml``.
            config: a TOML file whose settings go over the recipe's.
            overrides: ``"section.setting=value"``, the value as TOML writes it (or a bare word).

        Raises:
            SettingError: no such recipe, section or setting, or a value that is not allowed.
            UntrustedError: the file `recipe` names code from outside foretext.
        """
        base = _read(recipe)
        given = {} if config is None else read_toml(Path(config), SettingError)
        given = _overridden(given, overrides)
        _trust_names(given)
        sections = {name: dict(values) for name, values in base.items()}
        for section, values in given.items():
            sections.setdefault(section, {}).update(values)
        chosen = _named(given) | _chosen_by_name(recipe, base)
        return cls.from_sections(sections, chosen, source=Path(recipe))

    @classmethod
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
    def from_sections(
        cls,
        sections: Mapping[str, Mapping[str, Any]],
        chosen: frozenset[str] | None = None,
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
        owners = _owners(sections)
        for section in sections:
            if section not in owners:
                hint = did_you_mean(section, owners) or f" There are: {', '.join(owners)}."
                raise SettingError(f"[{section}]: a recipe has no such section.{hint}")
        return cls(
            {
                section: _checked(section, owner, sections.get(section, {}), source)
                for section, owner in owners.items()
            },
            _named(sections) if chosen is None else chosen,
        )

    @classmethod
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
                raise SettingError(
                    f"{setting}: {name} has no such setting.{did_you_mean(setting, known)}"
                )
            sections[homes[0]][setting] = value
            chosen.add(f"{homes[0]}.{setting}")
        return cls.from_sections(sections, frozenset(chosen))

    def with_settings(self, section: str, **settings: Any) -> Self:
        """Return the recipe with some settings of a section changed; that is no choice of users."""
        sections = self._given()
        sections[section].update(settings)
        return self.from_sections(sections, self.chosen)

    def with_budget(self, seconds: float) -> Self:
        """Return the recipe with a wall-clock budget in place of its epochs or steps."""
        section = "training" if "training" in self.parts else "vectors"
        sections = self._given()
        for length in ("epochs", "steps"):
            sections[section].pop(length, None)
        sections[section]["budget_seconds"] = seconds
        return self.from_sections(sections, self.chosen)

    def _given(self) -> Sections:
        return {section: part.settings(given=True) for section, part in self.parts.items()}

    def sections(self) -> Sections:
        """Return every setting that has a value, as TOML keeps them: it knows no None."""
        return {
            section: {setting: value for setting, value in values.items() if value is not None}
            for section, values in self.all_settings().items()
        }

    def all_settings(self) -> Sections:
        """Return every setting with its value."""
        return {section: part.settings() for section, part in self.parts.items()}

    def text(self) -> str:
        """Return the resolved recipe as TOML."""
        import tomli_w

        return tomli_w.dumps(self.sections())

    def save(self, path: Path) -> None:
        """Write the resolved recipe as TOML."""
        path.write_text(self.text(), encoding="utf-8")


def _owners(sections: Iterable[str]) -> dict[str, Owner]:
    """Return who checks each section of a recipe that has `sections`."""
    if "autoencoder" in sections:
        return AUTOENCODER_SECTIONS
    network_only = NETWORK_SECTIONS.keys() - VECTOR_SECTIONS.keys()
    return NETWORK_SECTIONS if network_only & set(sections) else VECTOR_SECTIONS


def _checked(section: str, owner: Owner, values: Mapping[str, Any], source: Path | None) -> Section:
    settings = dict(values)
    if not isinstance(owner, Registry):
        config = imported(owner) if isinstance(owner, str) else owner
        return Section(None, config.checked(settings, section))
    name = settings.pop("name", None)
    if not isinstance(name, str):
        said = "" if name is None else f" = {name!r}"
        raise SettingError(f"[{section}] name{said}: say which one: {', '.join(owner)}.")
    config = getattr(owner.resolve(name, source), "Config", None)
    if not isinstance(config, type) or not issubclass(config, Config):
        raise SettingError(f"[{section}] name = '{name}': this class has no Config of settings.")
    return Section(name, config.checked(settings, section))


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


def _read(recipe: str | Path) -> Sections:
    name, size = split_size(str(recipe))
    if name in recipe_names():
        text = (resources.files("foretext") / "recipes" / f"{name}.toml").read_text("utf-8")
        sections = parse_toml(text, name, SettingError)
        if size is not None:
            if "backbone" not in sections:
                raise SettingError(f"There is no recipe '{recipe}': {name} has no sizes.")
            sections["backbone"].update(size._asdict())
        return sections
    if Path(recipe).suffix != ".toml":
        hint = did_you_mean(str(recipe), recipe_names())
        raise SettingError(
            f"There is no recipe '{recipe}'.{hint} There are: {', '.join(recipe_names())}, "
            "or give the path of a .toml file."
        )
    return read_toml(Path(recipe), SettingError)


def corpus_config(settings: Mapping[str, Any]) -> CorpusConfig:
    """Check the settings of ``[corpus]`` alone, for verbs that only read text."""
    return CorpusConfig.checked(dict(settings), "corpus")


def corpus_of_run(path: Path) -> CorpusConfig:
    """Read how a run read its text from the recipe that it keeps; no other section is looked at.

    Raises:
        ModelFileError: the file is missing or damaged.
    """
    sections = read_toml(path, ModelFileError)
    try:
        return corpus_config(sections.get("corpus", {}))
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error


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
    return section, setting, parse_toml_value(value.strip(), f"--set {target}", SettingError)
