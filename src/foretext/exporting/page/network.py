"""A network on a page: its ONNX graph, its tokenizer, and what a browser needs to run both.

page.json              the kind of the model, what the page says of it, and how texts are framed
model.onnx             the graph; tokenizer.json and tokenizer_config.json are its tokenizer
runtime/               onnxruntime-web and the tokenizers of Hugging Face
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import SettingError
from foretext.base.files import temporary_folder
from foretext.exporting import EXPORTS
from foretext.exporting.export import compared
from foretext.exporting.files import write_json
from foretext.exporting.form import Texts, check_packages
from foretext.exporting.network import NetworkExport
from foretext.exporting.page.check_texts import LONGEST
from foretext.exporting.page.checking import CheckFigures, check_by_node
from foretext.exporting.page.network_kind import Wanted
from foretext.exporting.page.network_kinds import NETWORK_KINDS, kind_name
from foretext.exporting.page.page_model import page_info
from foretext.exporting.page.runtime import Runtime, copy_runtime
from foretext.exporting.parity import Parity
from foretext.exporting.session import library_of
from foretext.exporting.texts import ComparedRows, all_rows
from foretext.kinds import Kind
from foretext.progress import Progress

__all__ = ["BOUNDS", "LOADED", "NetworkPage", "WrittenNetwork"]

GRAPH, ABOUT = "model.onnx", "page.json"
LOADED = (GRAPH, ABOUT, "tokenizer.json", "tokenizer_config.json")  # beside the page itself
BOUNDS = {"onnx": 1e-4, "onnx-int8": 0.05}  # of differences, as parts of a text's largest number
MOST_TOKENS = 20_000  # that Node.js computes
HARD_TOKENS = MOST_TOKENS // 2  # of these, in the hard texts at most
SCRIPT = "node_network_check.js"


class WrittenNetwork(NamedTuple):
    """What was written, and what it has to answer."""

    parity: Parity  # of ONNX Runtime in Python and foretext
    wanted: dict[str, Any]  # as `static/engine/network_check.js` has it
    num_own: int  # texts of the user's that were compared
    loaded_bytes: int
    model_bytes: int
    notes: tuple[str, ...]  # for the user


class NetworkPage:
    """A network for a page.

    Args:
        model: that `foretext.load` opened.
        kind: of the run.
        name: that the page shows.
        to: the form of the graph, a name of `BOUNDS`.

    Raises:
        SettingError: a page has no such form, or cannot run the model.
        MissingExtraError: a package is missing.
    """

    def __init__(self, model: Any, kind: Kind, name: str, to: str) -> None:
        if to not in BOUNDS:
            raise SettingError(f"A page has no network as '{to}'; take {' or '.join(BOUNDS)}.")
        component: type[NetworkExport] = EXPORTS.resolve(to)
        check_packages(component)
        self.form, self.model, self.name, self.to = component(model, kind), model, name, to
        self.kind = kind_name(self.form)
        graph = self.form.graph
        if self.kind not in NETWORK_KINDS or graph.network.group > 1:
            raise SettingError(
                "A web page can run networks that classify texts or pairs in one row, taggers, "
                "readers, sentence encoders and indexes; use `foretext serve` for other models."
            )
        self.network_kind = NETWORK_KINDS[self.kind](self.form)

    def write(
        self, folder: Path, runtime: Runtime, run: Path, texts: Any, bar: Progress
    ) -> WrittenNetwork:
        """Write the files of the network, compared with the original in ONNX Runtime.

        Args:
            folder: of the page.
            runtime: what is copied into it.
            run: whose texts are compared where none are given.
            texts: of the user's; None: those of the run.
            bar: advances by the texts.

        Raises:
            ModelFileError: the copy differs from the original.
            SettingError: the tokenizer has rules that a page does not know.
            OutputError: a file cannot be written.
        """
        form = self.form
        given = self.network_kind.own_texts() if texts is None else texts
        every = all_rows(run, given, form.num_texts, form.model, asks=form.asks)
        rows, num_own = every.with_words if form.asks else every
        with temporary_folder() as copy:
            form.write(copy)
            if rule := self.network_kind.unknown_rule(library_of(copy)):
                raise SettingError(f"{rule}; use `foretext serve` for this model.")
            parity = compared(form, copy, rows, bar)
            parity.check(form.bound, self.to)
            inputs = self._chosen(copy, every)
            found = [self.network_kind.wanted(copy, row) for row in inputs]
            more = self.network_kind.complete(folder, inputs, found)
            (graph,) = (copy / "onnx").glob("*.onnx")
            graph.rename(folder / GRAPH)
            for name in LOADED[2:]:
                (copy / name).rename(folder / name)
        write_json(folder / ABOUT, self.about())
        size = copy_runtime(runtime, folder)
        names = (*LOADED, *self.network_kind.files)
        loaded = size + sum((folder / name).stat().st_size for name in names)
        wanted = {**self._wanted(inputs, found), **more.wanted}
        model_bytes = (folder / GRAPH).stat().st_size
        return WrittenNetwork(parity, wanted, num_own, loaded, model_bytes, more.notes)

    def about(self) -> dict[str, Any]:
        """Return what ``page.json`` holds, as JSON has it."""
        graph, framing = self.form.graph, self.network_kind.framing
        unknown = graph.tokenizer.special.unknown
        around = len(framing.prefix) + len(framing.suffix)
        return {
            "kind": self.kind,
            **self.network_kind.facts,
            "input": {
                "before": framing.prefix,
                "behind": framing.suffix,
                "room": graph.max_length - around,
                "pad": graph.tokenizer.pad,
                "unknown": graph.tokenizer.pad if unknown is None else unknown,
                "outputs": self.network_kind.outputs,
            },
            "info": page_info(self.model, self.name, self.network_kind.abilities),
        }

    def check(self, program: str, folder: Path, wanted: dict[str, Any]) -> CheckFigures:
        """Run the page's own code by Node.js.

        Raises:
            ModelFileError: an answer differs.
            OutputError: the code fails.
        """
        return check_by_node(program, folder, wanted, SCRIPT)

    def _chosen(self, folder: Path, rows: ComparedRows) -> list[Texts]:
        """Return the inputs that Node.js computes: the hard ones, and some of the user's."""
        library = library_of(folder)
        own, hard = ([row for row in part if max(map(len, row)) <= LONGEST] for part in rows.parts)
        found, left = list[Texts](), HARD_TOKENS
        for number, row in enumerate([*hard, *own[: self.network_kind.most_texts - len(hard)]]):
            if number == len(hard):
                left += MOST_TOKENS - HARD_TOKENS
            size = self.network_kind.num_tokens(library, row)
            if size <= left:
                left -= size
                found.append(row)
        return found

    def _wanted(self, inputs: Sequence[Texts], found: Sequence[Wanted]) -> dict[str, Any]:
        """Return what ONNX Runtime in Python answers to some inputs, as the page has to."""
        return {
            "bound": BOUNDS[self.to],
            "inputs": [list(row) for row in inputs],
            "rows": [[row.ids for row in each.rows] for each in found],
            "segments": [[row.segments for row in each.rows] for each in found],
            "numbers": [each.numbers for each in found],
            "answers": [each.answer for each in found],
        }
