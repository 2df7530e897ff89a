"""The folder of a page: what it holds, how it is written, and how it is described.

index.html         the page; page.js and page.css are its code and its look
model.safetensors  the model, which a web server serves
model.js           the same as text, for anyone who opens index.html as a local file
export.json        figures: sizes, and how the page's answers compare with Python's
README.md          the same for people
check.html         where there was no Node.js: a page that compares, with check.js and wanted.js
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext._version import __version__
from foretext.artifact import FASTTEXT_FILES, kind_of_run, load, load_task, opened_run
from foretext.base.arguments import checked_arguments
from foretext.base.config import whole_number
from foretext.base.counted import number_of
from foretext.base.errors import CorpusError, SettingError
from foretext.base.files import atomic_folder
from foretext.base.parsing import write_tensors
from foretext.base.registry import Registry
from foretext.exporting.files import refuse_output, write_json
from foretext.exporting.page.bundle import bundle, page_source
from foretext.exporting.page.check_texts import check_texts, first_texts
from foretext.exporting.page.checking import CheckFigures, Node, check_by_node, found_node
from foretext.exporting.page.page_model import Answers, PageModel, numbers_of
from foretext.exporting.page.passages import reads_by_network
from foretext.exporting.page.runtime import found_runtime
from foretext.exporting.page.storage import STORAGE_TYPES, json_tensors, packed, stored
from foretext.messages import message, translated
from foretext.progress import Progress, human_bytes, is_quiet
from foretext.tasks.fasttext.bin_file import holds_classifier
from foretext.vectors.storage import StorageType

if TYPE_CHECKING:
    from foretext.exporting.page.network import WrittenNetwork

__all__ = ["PAGE_MODELS", "PageReport", "export_page"]

PAGE_MODELS = Registry(
    "model of a page",
    {
        "word vectors": "foretext.exporting.page.word_vectors:PageWordVectors",
        "document vectors": "foretext.exporting.page.document_vectors:PageDocumentVectors",
        "fasttext classifier": "foretext.exporting.page.fasttext:PageFastText",
        "linear classifier": "foretext.exporting.page.linear:PageLinear",
        "linear matcher": "foretext.exporting.page.linear_matcher:PageLinearMatcher",
        "linear tagger": "foretext.exporting.page.linear_tagger:PageLinearTagger",
        "embedding classifier": (
            "foretext.exporting.page.embedding_classifier:PageEmbeddingClassifier"
        ),
        "search index": "foretext.exporting.page.search:PageSearch",
    },
)

MODEL, SCRIPT = "model.safetensors", "model.js"
LOADED = ("index.html", "page.js", "page.css", "icon.svg", MODEL)  # by a visitor of a server
INDEX = "search index"  # kind of a page that finds passages
MARK = '<meta name="check">'  # where `index.html` says how it was compared
BOUND = 1e-3  # of a difference of two cosines or chances, where numbers are stored in fewer bytes
EXACT_BOUND = 1e-4  # where they are not
MOST_INFERRED = 20_000  # words of all texts, over which the page learns vectors of documents
LARGEST_SCRIPT = 64 << 20  # bytes of a model that is written as text, too
LARGE = 20 << 20  # bytes from which on a page is slow to load

Texts = Sequence[str]


class PageReport(NamedTuple):
    """What was written."""

    output: Path
    kind: str
    bytes: int  # of all files
    loaded_bytes: int  # that a visitor of a server loads
    model_bytes: int
    dtype: StorageType  # of the stored numbers
    bound: float  # of the differences between the page's answers and Python's
    check: CheckFigures | None  # None: there is no Node.js
    is_local: bool  # whether it also opens as a local file
    notes: tuple[str, ...] = ()
    is_network: bool = False  # which ONNX Runtime runs

    @property
    def compared_parts(self) -> str:
        """What of a text has to be equal on the page and in Python."""
        network = "ids_and_passages" if self.kind == INDEX else "ids"
        return message(f"exporting.page.{network if self.is_network else 'features'}")

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        check = None if self.check is None else self.check._asdict()
        return {**self._asdict(), "output": str(self.output), "to": "page", "check": check}


@checked_arguments
def export_page(
    run: str | Path,
    output: str | Path,
    *,
    texts: Any = None,
    limit: int | None = None,
    to: str | None = None,
    runtime: str | Path | None = None,
    overwrite: bool = False,
    quiet: bool | None = None,
) -> PageReport:
    """Write a model as a web page, and compare what the page answers with what Python does.

    The page is a folder of files: the visitor's browser runs the model.

    Args:
        run: the folder of a run, or a file of vectors or of fastText.
        output: the folder to write.
        texts: to compare with: files, or texts in memory; None: those that the run has learned
            from, or texts made up of the model's words. foretext adds difficult ones.
        limit: words to keep of word vectors, the first ones, two at least; None: all.
        to: the form of a network, "onnx" or "onnx-int8"; None: "onnx".
        runtime: the folder ``node_modules`` with onnxruntime-web and @huggingface/tokenizers, which
            run networks; None: the one in the working folder or above it.
        overwrite: replace a folder that is there.
        quiet: show no progress; None: show it on a terminal.

    Raises:
        SettingError: a browser cannot run the model.
        ModelFileError: an answer of the page differs; nothing is kept.
        OutputError: the folder cannot be written.
        ForetextError: as of `foretext.load`.
    """
    output = Path(output)
    refuse_output(run, output, overwrite=overwrite)
    if not _is_plain(run):
        return _network_page(run, output, texts, limit, to, runtime, quiet)
    for name, value in (("to", to), ("runtime", runtime)):
        if value is not None:
            raise SettingError(
                f"--{name} has no effect on a page of this model, which is no network; leave it "
                "out."
            )
    model = _page_model(run, limit)
    own = _own_texts(run, model, texts)
    rows = _compared_texts(model, own)
    node = found_node()
    with Progress(message("progress.exporting"), 3, "steps", quiet=is_quiet(quiet)) as bar:
        dtype = _smallest_type(model, rows)
        bar.advance(1)
        bound = EXACT_BOUND if dtype == "float32" else BOUND + EXACT_BOUND
        wanted = {"bound": bound, "texts": rows, **_parts(model, rows), **model.answers(rows)}
        with atomic_folder(output) as folder:
            _write_files(folder, model, dtype)
            bar.advance(1)
            check = None if node.path is None else check_by_node(node.path, folder / MODEL, wanted)
            if check is None:
                _write_check(folder, wanted)
            bar.advance(1)
            _write_index(folder, check)
            report = _reported(folder, output, model, dtype, bound, check)
            report = report._replace(notes=_notes(report, model, own, node))
            _write_card(folder, report, model.name)
            size = folder_bytes(folder)
    return report._replace(bytes=size)


def _is_plain(run: str | Path) -> bool:
    """Whether a page has code of its own for a model; else it may be a network."""
    path = opened_run(run).path
    if path.is_file() or kind_of_run(run).graph is None:
        return True
    model = load(run)
    return model.kind in PAGE_MODELS and not reads_by_network(model)


def _network_page(
    run: str | Path,
    output: Path,
    texts: Any,
    limit: int | None,
    to: str | None,
    runtime: str | Path | None,
    quiet: bool | None,
) -> PageReport:
    """Write a page that runs a network, as `export_page` does."""
    from foretext.exporting.page.network import BOUNDS, NetworkPage

    if limit is not None:
        raise SettingError("--limit has no effect on a network; it is for word vectors.")
    form, folder_of_run = to or "onnx", opened_run(run).path
    page = NetworkPage(load(run), kind_of_run(run), Path(run).resolve().name, form)
    found = found_runtime(None if runtime is None else Path(runtime))
    node = found_node()
    bar = Progress(message("progress.exporting"), None, "texts", quiet=is_quiet(quiet))
    with bar, atomic_folder(output) as folder:
        written = page.write(folder, found, folder_of_run, texts, bar)
        _write_page_files(folder)
        check = None if node.path is None else page.check(node.path, folder, written.wanted)
        _write_index(folder, check, is_network=True)
        loaded = written.loaded_bytes + sum(
            (folder / name).stat().st_size for name in LOADED if name != MODEL
        )
        size = folder_bytes(folder)
        dtype: StorageType = "int8" if form == "onnx-int8" else "float32"
        report = PageReport(
            output,
            page.kind,
            size,
            loaded,
            written.model_bytes,
            dtype,
            BOUNDS[form],
            check,
            False,
            (),
            is_network=True,
        )
        report = report._replace(notes=_network_notes(written, node, check))
        _write_card(folder, report, page.name)
        size = folder_bytes(folder)
    return report._replace(bytes=size)


def _page_model(run: str | Path, limit: int | None) -> PageModel:
    """Open a model for a page.

    Raises:
        SettingError: a browser cannot run it, or it has no words to limit.
    """
    if limit is not None:
        limit = whole_number(limit, "limit", least=2)
    path = opened_run(run).path
    is_classifier = path.suffix in FASTTEXT_FILES and path.is_file() and holds_classifier(path)
    model = load_task(run) if is_classifier else load(run)
    kind = PAGE_MODELS.resolve(model.kind) if model.kind in PAGE_MODELS else None
    if kind is None or (model.tokenizer is not None and not kind.has_tokenizer):
        raise SettingError(
            f"A web page cannot run the model in {run}; it can run word vectors, document vectors, "
            "fastText classifiers, linear models and search indexes. Use `foretext serve` for "
            "other models."
        )
    found: PageModel = kind(model, Path(run).resolve().name)
    return found if limit is None else found.limited(limit)


def _own_texts(run: str | Path, model: PageModel, given: Any) -> list[str]:
    """Return texts of the user's, or those that the run has learned from, where they still are.

    Raises:
        CorpusError: the files that were given have no text.
        ModelFileError: the recipe of the run is damaged.
    """
    if given is not None:
        return first_texts(given)
    try:
        return model.texts_of(opened_run(run).path)
    except (CorpusError, SettingError):  # its files have moved, or hold other columns now
        return []


def _compared_texts(model: PageModel, own: Texts) -> list[str]:
    """Return the texts that are compared, without those for which a page would learn too long."""
    found, left = list[str](), MOST_INFERRED
    for text in check_texts(own, model.frequent_words):
        size = model.inferred_words(text)
        if size <= left:
            left -= size
            found.append(text)
    return found


def _parts(model: PageModel, texts: Texts) -> dict[str, Any]:
    """Return what the model reads each text as; None: it reads none."""
    return {"parts": [list(model.parts(text)) for text in texts] if model.reads_texts else None}


def _smallest_type(model: PageModel, texts: Texts) -> StorageType:
    """Return the type of the fewest bytes that leaves the answers as they are."""
    if not any(matrix.size for matrix in model.matrices.values()):
        return "float32"
    own = model.answers(texts)
    for dtype in STORAGE_TYPES[:-1]:
        if packed(model.matrices, dtype) is None:
            continue
        theirs = model.with_matrices(stored(model.matrices, dtype)).answers(texts)
        if _found_rows(own) != _found_rows(theirs):  # others, or in another order
            continue
        if np.abs(numbers_of(own) - numbers_of(theirs)).max(initial=0.0) <= BOUND:
            return dtype
    return "float32"


def _found_rows(answers: Answers) -> list[list[int]]:
    """Return which passages each query finds, and which tags the tokens of each text have."""
    passages = [[row for row, _ in found] for _, found in answers.get("hits", ())]
    return passages + [found["path"] for found in answers.get("tags", ())]


def _write_files(folder: Path, model: PageModel, dtype: StorageType) -> None:
    numbers: dict[str, NDArray[Any]] = {**model.tensors, **(packed(model.matrices, dtype) or {})}
    tensors = numbers | json_tensors(model.texts)
    about = {
        "kind": model.kind,
        "labels": model.labels,
        "settings": model.settings,
        "info": model.info(),
    }
    write_tensors(folder / MODEL, tensors, {"page": json.dumps(about, ensure_ascii=False)})
    if (folder / MODEL).stat().st_size <= LARGEST_SCRIPT:
        text = base64.b64encode((folder / MODEL).read_bytes()).decode()
        _write(folder / SCRIPT, f'"use strict";\nglobalThis.foretextModel = "{text}";\n')
    _write_page_files(folder)


def _write_page_files(folder: Path) -> None:
    """Write the code of the page, and its look."""
    _write(folder / "icon.svg", page_source("playground/icon.svg"))
    _write(folder / "page.js", bundle("page/entry.js"))
    styles = ("playground/style.css", "playground/tasks.css", "page.css")
    _write(folder / "page.css", "\n".join(map(page_source, styles)))


def _write_index(folder: Path, check: CheckFigures | None, *, is_network: bool = False) -> None:
    """Write the page itself, which says how it was compared, and whether it runs a network."""
    said = "" if check is None else f"{check.texts} {check.largest:.1e}"
    mark = f'<meta name="foretext-check" content="{said}">\n' if said else ""
    source = page_source("index.html")
    if is_network:
        mark += '<meta name="foretext-network">\n'
        source = source.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
    _write(folder / "index.html", source.replace(MARK, mark))


def _write_check(folder: Path, wanted: dict[str, Any]) -> None:
    """Write a page that compares in a browser, with Python's answers."""
    _write(folder / "check.html", page_source("check.html"))
    _write(folder / "check.js", bundle("page/check_entry.js"))
    text = json.dumps(wanted)
    _write(folder / "wanted.js", f'"use strict";\nglobalThis.foretextWanted = {text};\n')


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _reported(
    folder: Path,
    output: Path,
    model: PageModel,
    dtype: StorageType,
    bound: float,
    check: CheckFigures | None,
) -> PageReport:
    """Return the figures of a page whose files are written."""
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    loaded = sum(sizes[name] for name in LOADED)
    is_local = SCRIPT in sizes
    return PageReport(
        output, model.kind, sum(sizes.values()), loaded, sizes[MODEL], dtype, bound, check, is_local
    )


def _notes(report: PageReport, model: PageModel, own: Texts, node: Node) -> tuple[str, ...]:
    """Return what the user should know."""
    notes = list(model.notes)
    if report.model_bytes > LARGE:
        size = human_bytes(report.model_bytes)
        notes.append(message("exporting.page.large", size=size, remedy=model.remedy))
    if not report.is_local:
        notes.append(message("exporting.page.not_local"))
    if not own:
        notes.append(message("exporting.page.made_up"))
    if report.check is None:
        notes.append(message("exporting.page.check", lack=node.lack))
    return tuple(notes)


def _network_notes(
    written: WrittenNetwork, node: Node, check: CheckFigures | None
) -> tuple[str, ...]:
    """Return what the user should know of a page that runs a network."""
    notes = list(written.notes)
    if not written.num_own:
        notes.append(message("exporting.page.no_own"))
    if check is None:
        notes.append(message("exporting.page.install", lack=node.lack))
    return tuple(notes)


def _write_card(folder: Path, report: PageReport, run: str) -> None:
    """Write ``export.json`` and ``README.md``."""
    figures = {name: value for name, value in report.record().items() if name != "bytes"}
    record = {"foretext": __version__, "run": run, **figures, "output": report.output.name}
    write_json(folder / "export.json", record)
    _write(folder / "README.md", _card(report, run))


def _card(report: PageReport, run: str) -> str:
    lines = [
        f"# {report.output.name}",
        "",
        message("exporting.page.card", run=run, kind=translated(report.kind), version=__version__),
        "",
        message("exporting.page.open" if report.is_local else "exporting.page.serve"),
        "",
        "```sh",
        f"python -m http.server --directory {report.output.name}",
        "```",
        "",
        message(
            "exporting.page.loads",
            size=human_bytes(report.loaded_bytes),
            dtype=report.dtype,
            compared=_compared(report),
        ),
        "",
        *(message("exporting.page.note", note=note) for note in report.notes),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _compared(report: PageReport) -> str:
    check = report.check
    if check is None:
        if report.is_network:
            return message("exporting.page.no_node")
        return message("exporting.page.by_check")
    return message(
        "exporting.page.compared",
        texts=number_of("text", check.texts),
        parts=report.compared_parts,
        numbers=check.numbers,
        largest=check.largest,
        bound=report.bound,
    )
