"""The table of kinds and exports in the guide, cell by cell, compared with the code.

A model is opened for each export as the export itself opens it; nothing is traced. Exports that run
are run by the other tests of this folder, in the program that the cell names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import foretext as ft
from foretext.artifact import kind_of_run, load, load_vectors
from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.base.errors import ForetextError, SettingError
from foretext.exporting.export import opened_form
from foretext.exporting.page.folder import _is_plain, _page_model
from foretext.kinds import KINDS
from foretext.language_model import LanguageModel
from foretext.objectives.prefix_lm import PrefixLM
from foretext.search.index import index
from tests.exporting.models import saved_model
from tests.exporting.page.models import MODELS as PAGES

pytest.importorskip("onnxscript", reason="the extra 'export' is not installed")

ROOT = Path(__file__).parents[2]
GUIDES = {
    "en": (ROOT / "docs/guides/export.md", "## Which model has which export", "refused"),
    "zh": (ROOT / "docs/zh/guides/export.md", "## 哪种模型有哪种导出", "拒绝"),
}
FORMS = ("onnx", "onnx-int8", "openvino", "gguf", "static")
COLUMNS = (*FORMS, "--page", "Hugging Face", "convert")
# The rows of the guide in their order, each with small models of that kind.
ROWS: dict[str, tuple[str, ...]] = {
    "word vectors": ("vectors", "fasttext vectors"),
    "static vectors of tokens": ("static",),
    "document vectors": ("document vectors",),
    "linear classifier": ("linear words",),
    "classifier of frozen vectors": ("embedding classifier",),
    "linear matcher": ("linear matcher", "linear score"),
    "linear tagger": ("linear tagger", "tagger with vectors"),
    "fastText classifier": ("softmax",),
    "encoder": ("encoder",),
    "sentence encoder": ("sentence encoder",),
    "GPT, Llama": ("gpt",),
    "language model of an LSTM": ("lstm",),
    "encoder-decoder": ("encoder-decoder",),
    "classifier, pooled as in its family": ("modernbert", "gpt classifier"),
    "classifier, pooled in another way": ("classifier", "deberta", "xlnet"),
    "tagger": ("tagger",),
    "tagger with a CRF": ("crf", "gpt tagger"),
    "tagger with a BiLSTM": ("bilstm",),
    "reader": ("plain reader",),
    "reader with marks": ("reader",),
    "matcher, one row, pooled as in its family": ("plain matcher",),
    "matcher, one row, in another way": ("matcher", "score", "marked matcher"),
    "matcher, two rows": ("siamese", "both orders"),
    "TextCNN": ("textcnn",),
    "classifier over words": ("bilstm classifier", "gru classifier"),
    "tagger over words": ("bilstm tagger", "spelling tagger"),
    "index": ("index of words", "index of a network"),
    "jieba or ELMo": ("jieba classifier", "elmo"),
    "none": (),
}
INDEXES = {"index of words": "vectors", "index of a network": "sentence encoder"}
WITHOUT = ("topics", "autoencoder")


def table(language: str) -> list[list[str]]:
    """The cells of the guide, a row for each kind."""
    path, heading, refused = GUIDES[language]
    section = path.read_text(encoding="utf-8").split(heading, 1)[1]
    lines = re.findall(r"^\|(.+)\|$", section.split("\n## ", 1)[0], re.MULTILINE)
    rows = [[cell.strip() for cell in line.split("|")] for line in lines[2:]]
    return [["" if cell == refused else cell for cell in row[1:]] for row in rows]


def encoder_decoder(folder: Path) -> Path:
    """One of T5's shape."""
    from tests.interop.sequence_folders import t5_unigram
    from tests.interop.test_t5 import SHAPE

    tokenizer = t5_unigram()
    backbone = EncoderDecoder(EncoderDecoder.Config(**SHAPE), tokenizer.vocab_size)
    objective = PrefixLM(PrefixLM.Config(), backbone, tokenizer)
    LanguageModel(tokenizer, backbone, objective, device="cpu").save(folder / "model")
    return folder / "model"


def made_index(model: Path, folder: Path) -> Path:
    """An index of two passages."""
    (folder / "texts.txt").write_text("the ship\n\nthe king\n", encoding="utf-8")
    index(model, folder / "texts.txt", folder / "index", quiet=True)
    return folder / "index"


def made(name: str, folder: Path) -> Path:
    """A small model, in a separate folder."""
    own = folder / name.replace(" ", "-")
    own.mkdir()
    if name in INDEXES:
        return made_index(made(INDEXES[name], own), own)
    if name in PAGES:
        return PAGES[name](own)
    return encoder_decoder(own) if name == "encoder-decoder" else saved_model(name, own)


def as_form(to: str) -> Callable[[Path], object]:
    return lambda model: opened_form(model, to)


def as_page(model: Path) -> object:
    if _is_plain(model):
        return _page_model(model, None)
    from foretext.exporting.page.network import NetworkPage

    return NetworkPage(load(model), kind_of_run(model), "model", "onnx")


def in_transformers(model: Path) -> object:
    """A family of transformers, in the folder that foretext itself writes."""
    path = model / "config.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if found.get("model_type", "foretext") == "foretext":
        raise SettingError("transformers has no such model.")
    return found


def in_vector_file(model: Path) -> object:
    """A file of word vectors, or of fastText's classifier."""
    if model.is_dir() and kind_of_run(model).name == "fasttext classifier":
        return ft.load(model).save
    return load_vectors(model).save


EXPORTS = dict(
    zip(
        COLUMNS,
        (*map(as_form, FORMS), as_page, in_transformers, in_vector_file),
        strict=True,
    )
)


def refusal(export: Callable[[Path], object], model: Path) -> str | None:
    """The one sentence that refuses a model; None: it is not refused."""
    try:
        export(model)
    except ForetextError as error:
        assert "\n" not in str(error), error  # noqa: PT017 (others are None)
        return str(error)
    return None


@pytest.mark.parametrize("kind", ROWS)
def test_every_cell_of_the_guide_is_what_the_code_does(kind: str, tmp_path: Path) -> None:
    row = table("en")[[*ROWS].index(kind)]
    assert len(row) == len(COLUMNS)
    for name in ROWS[kind]:
        model = made(name, tmp_path)
        for cell, (column, export) in zip(row, EXPORTS.items(), strict=True):
            runs = refusal(export, model) is None
            assert runs == bool(cell), f"{name} {column}: the guide says {cell or 'refused'!r}"


def test_kinds_without_a_row_have_no_export() -> None:
    assert not any(table("en")[-1])
    for name in WITHOUT:
        assert KINDS[name].exports == ()
    assert len(table("en")) == len(ROWS)


def test_both_languages_have_the_same_cells() -> None:
    same = [[bool(cell) for cell in row] for row in table("en")]
    assert same == [[bool(cell) for cell in row] for row in table("zh")]
