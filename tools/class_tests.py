"""Find classes that are cut in slices, and code that tests the class of foretext's own objects.

``make check`` runs it. Inheritance is refused in ``src/`` where a class should hold a part instead:

- A class deeper than three within the package: above a final class stand at most two. `Config`,
  from which all settings derive, is no level.
- A base with one child, unless `foretext.extend` has it for authors outside. A `Protocol` is none:
  its children need not name it.
- A class method that makes no instance of its class; pydantic's validators are none of ours.

`DEEP`, `ONE_CHILD` and `NO_INSTANCE` name what is left, each with its reason.

A test for a class closes the code to classes that nobody has written yet: the object itself should
answer, by a method or an attribute. So these are refused in ``src/``:

- ``isinstance``, ``issubclass`` and ``type(...) is`` with a concrete class of foretext, outside of
  the room that defines it. A room is a folder of the package, or a file beside the folders.
  Abstract bases and errors may be tested anywhere, and ``interop/`` may test classes: its tables
  belong to them.
- ``hasattr``, and ``getattr`` with a name and a default. Modules are free, since Python
  differs from one system to another; an object of another library has the comment ``# foreign``.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "Finding",
    "PackageClass",
    "class_rooms",
    "find_class_tests",
    "find_slices",
    "package_classes",
]

SOURCE = Path(__file__).resolve().parents[1] / "src" / "foretext"
PACKAGE = "foretext"
FREE_ROOMS = ("interop",)
ERRORS = "errors.py"
MARK = "# foreign"


DEEPEST = 3
NO_LEVEL = "base.config.Config"
EXTEND = "extend"
VALIDATORS = {"model_validator", "field_validator"}  # of pydantic, which wants class methods

BY_ITSELF = "the base is in use by itself, and the child is another kind of it"
OF_SEQUENCES = "a hundred lines of SequenceToSequence would stand in three objectives"
OF_TEXTS = "TextHead is for authors outside, and in one with Head it would be a hook of every head"
OF_PROCESSES = "settings of vectors, of threads and of processes belong to other sets of methods"
KEYED = (
    "gensim's KeyedVectors is one class, a thousand lines long: look up, compare, read and embed"
)
OF_FIELDS = "asks a class for its fields, before it has an instance"
OF_LEARNER = "says which class it learns, before it has an instance"

DEEP = {  # classes deeper than three: why
    "heads.classification.ClassificationHead": OF_TEXTS,
    "heads.matching.MatchingHead": OF_TEXTS,
    "objectives.prefix_lm.PrefixLM": OF_SEQUENCES,
    "objectives.span_corruption.SpanCorruption": OF_SEQUENCES,
    "objectives.text_infilling.TextInfilling": OF_SEQUENCES,
    "vectors.fasttext.FastText.Config": OF_PROCESSES,
    "vectors.token_vectors.TokenVectors": KEYED,
    "vectors.word2vec.Word2Vec.Config": OF_PROCESSES,
}
ONE_CHILD = {  # bases with one child: why
    "backbones.transformer_config.TransformerConfig": BY_ITSELF,
    "cleaning.quality_rules.QualityRules": BY_ITSELF,
    "corpus.sources.Source": BY_ITSELF,
    "corpus.word_table.WordTable": BY_ITSELF,
    "kernels.compile.Kernel": BY_ITSELF,
    "language_model.parts.ModelParts": "with its verbs it would be 600 lines long",
    "nn.attention.SelfAttention": BY_ITSELF,
    "report.run_files.Record": BY_ITSELF,
    "report.run_files.VectorsFacts": BY_ITSELF,
    "report.task_files.Measured": BY_ITSELF,
    "serving.routes.searching.PlaceRecord": BY_ITSELF,
    "tasks.fasttext.config.FastTextClassifierConfig": BY_ITSELF,
    "tasks.text_to_text.ibm_model_1.IbmModel1.Config": BY_ITSELF,
    "tokenizers.byte_pieces.BytePieces": BY_ITSELF,
    "tokenizers.word_tokenizer.WordTokenizer.Config": BY_ITSELF,
    "vectors.showing.walk.Word2VecWalk": BY_ITSELF,
    "vectors.replicas.group.ReplicaLostError": "errors are caught by their kind",
    "vectors.word_lookup.WordLookup": KEYED,
    "vectors.word_similarity.WordSimilarity": KEYED,
    "vectors.word_vectors.WordVectors": BY_ITSELF,
}
NO_INSTANCE = {  # class methods that make no instance: why
    "base.config.Config._with_none": OF_FIELDS,
    "base.config.Config.allows": OF_FIELDS,
    "base.config.Config.ordered_settings": OF_FIELDS,
    "base.config.Config.reads_none": OF_FIELDS,
    "base.parameters.Parameters.defaults": OF_FIELDS,
    "base.parameters.Parameters.refuse_unknown": OF_FIELDS,
    "finetuning.auto.AutoLearner.predictor_of": OF_LEARNER,
    "finetuning.embeddings.EmbeddingLearner.predictor_of": OF_LEARNER,
    "finetuning.fasttext.FastTextLearner.predictor_of": OF_LEARNER,
    "finetuning.learner.Learner.predictor_of": OF_LEARNER,
    "finetuning.linear.LinearLearner.predictor_of": OF_LEARNER,
    "finetuning.linear.LinearPairLearner.predictor_of": OF_LEARNER,
    "finetuning.linear.LinearTagLearner.predictor_of": OF_LEARNER,
    "finetuning.network.NetworkLearner.predictor_of": OF_LEARNER,
}


class Finding(NamedTuple):
    """One test for a class, or one class that should not stand alone."""

    path: Path
    line: int
    code: str
    remedy: str = "let the object answer by a method instead"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.code}: {self.remedy}"


Imports = dict[str, tuple[str, str]]  # of a module: its names, each with its module and name there


class PackageClass(NamedTuple):
    """A class of the package."""

    path: Path
    node: ast.ClassDef
    bases: tuple[str, ...]  # its direct bases within the package, by full name


def class_rooms(source: Path) -> dict[str, set[str]]:
    """Return the concrete classes of a package but errors, each with the rooms that define it."""
    rooms: dict[str, set[str]] = {}
    for path, tree in _modules(source):
        if path.name != ERRORS:
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and not _is_abstract(node):
                    rooms.setdefault(node.name, set()).add(_room(path, source))
    return rooms


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Look for no garbage: a million nodes of syntax trees are looked through again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_nothing_collected()
def find_class_tests(source: Path) -> list[Finding]:
    """Return every test for a class that the package in `source` makes of its own objects."""
    rooms = class_rooms(source)
    found = []
    for path, tree in _modules(source):
        room = _room(path, source)
        if room in FREE_ROOMS:
            continue
        strangers = {name for name in rooms if room not in rooms[name]}
        foreign = _foreign_names(tree)
        lines, modules = path.read_text(encoding="utf-8").splitlines(), _module_names(tree)
        for node in ast.walk(tree):
            if _tested_classes(node, foreign) & strangers or _tests_attribute(node, modules):
                line: int = node.lineno  # type: ignore[attr-defined]  # of calls and comparisons
                if MARK not in lines[line - 1]:
                    found.append(Finding(path, line, ast.unparse(node)))
    return found


def find_slices(source: Path) -> list[Finding]:
    """Return every class that is too deep, or has one child, or a class method without instance.

    Those that the tables above name are left out.
    """
    classes, imported = _read(source)
    children = Counter(base for each in classes.values() for base in each.bases)
    outside = _for_authors(imported, classes)
    found = []
    for name, (path, node, _) in classes.items():
        if (depth := _depth(name, classes)) > DEEPEST and name not in DEEP:
            what = f"{name} is {depth} deep, and {DEEPEST} are enough"
            found.append(Finding(path, node.lineno, what, "let it hold a part instead"))
        is_free = name in outside or name in ONE_CHILD or _is_protocol(node)
        if children[name] == 1 and not is_free:
            what = f"{name} is the base of one class"
            found.append(Finding(path, node.lineno, what, "join both, or let one hold the other"))
        for method in _makes_nothing(node):
            if f"{name}.{method.name}" not in NO_INSTANCE:
                what = f"{name}.{method.name} makes no {node.name}"
                found.append(Finding(path, method.lineno, what, "write a function or an attribute"))
    return found


def package_classes(source: Path) -> dict[str, PackageClass]:
    """Return every class of a package by its full name, as in ``nn.attention.SelfAttention``."""
    return _read(source)[0]


@_nothing_collected()
def _read(source: Path) -> tuple[dict[str, PackageClass], dict[str, Imports]]:
    """Return every class of a package, and what each module imports from it."""
    trees = {_module(path, source): (path, tree) for path, tree in _modules(source)}
    imported = {module: _imported(tree) for module, (_, tree) in trees.items()}
    defined = {
        f"{module}.{name}": (path, node, module)
        for module, (path, tree) in trees.items()
        for name, node in _defined(tree)
    }
    classes = {
        name: PackageClass(path, node, tuple(_bases(node, name, module, imported, defined)))
        for name, (path, node, module) in defined.items()
    }
    return classes, imported


def _bases(
    node: ast.ClassDef,
    own: str,
    module: str,
    imported: dict[str, Imports],
    defined: Collection[str],
) -> Iterator[str]:
    """Yield the full names of a class's bases that are of the package."""
    for base in node.bases:
        name = _full_name(module, _dotted(base), imported, defined)
        if name is not None and name != own:
            yield name


def _full_name(
    module: str, name: str, imported: dict[str, Imports], defined: Collection[str]
) -> str | None:
    """Follow a name of a module through imports to its class; None: it is of no class here."""
    for _ in imported:
        if f"{module}.{name}" in defined:
            return f"{module}.{name}"
        first, dot, rest = name.partition(".")
        if first not in imported.get(module, {}):
            return None
        module, new = imported[module][first]
        name = f"{new}{dot}{rest}"
        if (inner := f"{module}.{new}".strip(".")) in imported:  # a module of the package
            module, name = inner, rest
    return None


def _module(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _defined(tree: ast.AST, before: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the classes of a module with their names, those within classes too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield before + node.name, node
            yield from _defined(node, f"{before}{node.name}.")
        elif not isinstance(node, ast.FunctionDef):
            yield from _defined(node, before)


def _imported(tree: ast.Module) -> Imports:
    """Return the module and the name behind each name that is imported from the package."""
    return {
        alias.asname or alias.name: (
            node.module.removeprefix(PACKAGE).removeprefix("."),
            alias.name,
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.module is not None
        and node.module.partition(".")[0] == PACKAGE
        for alias in node.names
    }


def _for_authors(imported: dict[str, Imports], classes: Collection[str]) -> set[str]:
    """Return the full names of the classes that authors outside import."""
    names = imported.get(EXTEND, {})
    return {
        full for name in names if (full := _full_name(EXTEND, name, imported, classes)) is not None
    }


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(_dotted(base) == "Protocol" for base in node.bases)


def _dotted(node: ast.expr) -> str:
    """Return the name of a base, without its parameters."""
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node)


def _depth(name: str, classes: dict[str, PackageClass]) -> int:
    bases = [base for base in classes[name].bases if base != NO_LEVEL]
    return 1 + max((_depth(base, classes) for base in bases), default=0)


def _makes_nothing(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Yield the class methods that return no instance by what they say."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            marks = set().union(*map(_names, part.decorator_list))
            made = "" if part.returns is None else ast.unparse(part.returns)
            if (
                "classmethod" in marks
                and not marks & VALIDATORS
                and not re.search(rf"\b(Self|{node.name})\b", made)
            ):
                yield part


def _modules(source: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(source.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def _room(path: Path, source: Path) -> str:
    return path.relative_to(source).parts[0].removesuffix(".py")


def _is_abstract(node: ast.ClassDef) -> bool:
    bases = set().union(*map(_names, node.bases)) if node.bases else set()
    marked = (each for part in ast.walk(node) for each in getattr(part, "decorator_list", ()))
    return "ABC" in bases or any("abstractmethod" in _names(each) for each in marked)


def _foreign_names(tree: ast.Module) -> set[str]:
    """Names that a module imports from other packages."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] != PACKAGE
        for alias in node.names
    }


def _module_names(tree: ast.Module) -> set[str]:
    """Names that stand for whole modules, such as ``os``."""
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }


def _tested_classes(node: ast.AST, foreign: set[str]) -> set[str]:
    """The classes that a node tests something for, those of other packages left out."""
    if isinstance(node, ast.Call) and _called(node) in ("isinstance", "issubclass"):
        return _tested(node.args[1], foreign)
    if isinstance(node, ast.Compare) and _called(node.left) == "type":
        return set().union(*(_tested(each, foreign) for each in node.comparators))
    return set()


def _tests_attribute(node: ast.AST, modules: set[str]) -> bool:
    if not isinstance(node, ast.Call) or not node.args or _names(node.args[0]) & modules:
        return False
    has_default = len(node.args) == 3 and isinstance(node.args[1], ast.Constant)
    return _called(node) == "hasattr" or (_called(node) == "getattr" and has_default)


def _called(node: ast.AST) -> str:
    """The plain name of what is called, if anything is."""
    is_plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return node.func.id if is_plain else ""  # type: ignore[attr-defined]


def _names(node: ast.AST) -> set[str]:
    """Every name in an expression, with every attribute."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _tested(node: ast.AST, foreign: set[str]) -> set[str]:
    """The names of the classes that an expression lists, as in ``int | nn.Linear``."""
    if isinstance(node, ast.Attribute):
        return set() if _names(node.value) & foreign else {node.attr}
    if isinstance(node, ast.Name):
        return {node.id} - foreign
    parts = (_tested(each, foreign) for each in ast.iter_child_nodes(node))
    return set().union(*parts)


def main() -> None:
    """Print what is found; exit with 1 where there is any."""
    found = [*find_class_tests(SOURCE), *find_slices(SOURCE)]
    for finding in found:
        print(finding._replace(path=finding.path.relative_to(SOURCE.parents[1])))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
