"""Pages that run networks: compared by Node.js, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.artifact import kind_of_run
from foretext.base.errors import ModelFileError, SettingError
from foretext.corpus import Corpus
from foretext.exporting.page import checking, export_page
from foretext.exporting.page import network as network_file
from foretext.exporting.page.network import MOST_TOKENS, NetworkPage
from foretext.exporting.page.runtime import FILES, copy_runtime, found_runtime
from foretext.exporting.texts import ComparedRows, all_rows
from foretext.progress import Progress
from foretext.tokenizers.subwords import learn_subwords
from tests.exporting.models import saved_model, tokenizer
from tests.exporting.page.networks import NODE_MODULES, needs_runtime

TEXTS = ["the king lives in a castle by the sea", "a ship", "中文 and English"]


def packages(folder: Path) -> Path:
    """Write both packages of npm, with files that hold nothing of use."""
    for package, names in FILES.items():
        target = folder / "node_modules" / package
        (target / "dist").mkdir(parents=True)
        (target / "package.json").write_text('{"version": "9.1.0"}')
        for name in names:
            (target / "dist" / name).write_text(name)
    return folder


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_model("classifier", tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("given", ["", "node_modules", "node_modules/onnxruntime-web"])
def test_a_runtime_is_found_by_any_of_its_folders(given: str, tmp_path: Path) -> None:
    found = found_runtime(packages(tmp_path) / given)
    assert found.folder.resolve() == (tmp_path / "node_modules").resolve()
    assert found.versions == dict.fromkeys(FILES, "9.1.0")
    (tmp_path / "page").mkdir()
    size = copy_runtime(found, tmp_path / "page")
    names = {path.name for path in (tmp_path / "page" / "runtime").iterdir()}
    assert names == {name for each in FILES.values() for name in each} | {"SOURCES.txt"}
    assert size == sum(len(name) for each in FILES.values() for name in each)
    assert "onnxruntime-web 9.1.0" in (tmp_path / "page/runtime/SOURCES.txt").read_text()


def test_a_runtime_above_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (packages(tmp_path) / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert found_runtime(None).folder == tmp_path / "node_modules"


def test_a_runtime_that_is_not_whole(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"no onnxruntime-web in .*npm install .*--runtime"):
        found_runtime(tmp_path)
    tokenizers = packages(tmp_path) / "node_modules/@huggingface/tokenizers"
    (tokenizers / "package.json").write_text('{"version": 3}')
    with pytest.raises(ModelFileError, match="has no version"):
        found_runtime(tmp_path)
    (tokenizers / "dist/tokenizers.min.mjs").unlink()
    with pytest.raises(SettingError, match=r"tokenizers has no dist/tokenizers.min.mjs"):
        found_runtime(tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 5}, "--limit has no effect on a network"),
        ({"to": "openvino"}, "A page has no network as 'openvino'; take onnx or onnx-int8"),
        ({"runtime": "nowhere"}, "There is no onnxruntime-web in nowhere"),
    ],
)
def test_options_without_effect(
    options: dict[str, Any], said: str, classifier: Path, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=said):
        export_page(classifier, tmp_path / "page", quiet=True, **options)
    assert not (tmp_path / "page").exists()


@pytest.mark.parametrize("name", ["encoder", "siamese"])
def test_networks_that_a_page_cannot_run(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="classify texts or pairs in one row, tagg"):
        export_page(saved_model(name, tmp_path), tmp_path / "page", quiet=True)


def test_a_rule_of_a_tokenizer_that_a_page_does_not_know_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = network_file.NETWORK_KINDS["question-answering"]
    monkeypatch.setattr(kind, "unknown_rule", lambda self, library: "The tokenizer is strange")
    path = saved_model("reader", tmp_path)
    page = NetworkPage(ft.load(path), kind_of_run(path), "model", "onnx")
    monkeypatch.setattr(page.form, "write", lambda folder: page.form.graph.save(folder))
    runtime: Any = None
    with pytest.raises(SettingError, match="is strange; use `foretext serve` for this model"):
        page.write(tmp_path, runtime, path, TEXTS, Progress("", None, "texts", quiet=True))


def exported(model: Path, page: Path, **options: Any) -> dict[str, Any]:
    """Export a model, and return what page.json holds."""
    texts = iter(TEXTS)  # which can be read once, like standard input
    report = export_page(model, page, texts=texts, runtime=NODE_MODULES, quiet=True, **options)
    assert report.check is not None
    assert report.check.texts > len(TEXTS)
    assert report.is_network
    assert not report.is_local
    assert report.notes == ()
    found: dict[str, Any] = json.loads((page / "page.json").read_text())
    return found


@pytest.mark.parametrize("name", ["tagger", "reader"])
def test_hard_texts_are_compared_beside_many_of_the_user(name: str, tmp_path: Path) -> None:
    path = saved_model(name, tmp_path)
    page = NetworkPage(ft.load(path), kind_of_run(path), "model", "onnx")
    page.form.graph.tokenizer.library.save(str(tmp_path / "tokenizer.json"))
    given = (f"{TEXTS[0]} {number}" for number in range(300))
    every = all_rows(path, given, page.form.num_texts, page.model, asks=page.form.asks)
    own, hard = every.parts
    found = page._chosen(tmp_path, every)
    assert 100 < len(found) <= page.network_kind.most_texts
    assert {row for row in hard if max(map(len, row)) < 1000} <= set(found)
    assert set(own[:100]) <= set(found)
    assert any(not row[0].strip() for row in found)


@pytest.mark.parametrize("name", ["tagger", "reader", "classifier"])
def test_a_window_of_a_long_text_counts_with_all_its_tokens(name: str, tmp_path: Path) -> None:
    path = saved_model(name, tmp_path)
    page = NetworkPage(ft.load(path), kind_of_run(path), "model", "onnx")
    library = page.form.graph.tokenizer.library
    library.save(str(tmp_path / "tokenizer.json"))
    library.enable_truncation(page.form.graph.max_length)
    long = ("the king lives in a castle by the sea " * 120,) * page.form.num_texts
    size = page.network_kind.num_tokens(library, long)
    if name == "classifier":
        assert size == page.form.graph.max_length
    else:
        assert size > 1.5 * len(library.encode(long[0]).ids)
    rows = ComparedRows([long] * 40, 40)
    assert (
        sum(page.network_kind.num_tokens(library, row) for row in page._chosen(tmp_path, rows))
        <= MOST_TOKENS
    )


@needs_runtime
@pytest.mark.slow
@pytest.mark.parametrize("name", ["label sets", "gpt classifier"])
def test_labels_of_a_page_are_those_of_python(name: str, tmp_path: Path) -> None:
    model = saved_model(name, tmp_path)
    about = exported(model, tmp_path / "page")
    assert about["labels"] == list(ft.load(model).label_names)
    assert about["several"] == (name == "label sets")


@needs_runtime
@pytest.mark.slow
def test_a_unigram_tokenizer(tmp_path: Path) -> None:
    from tests.interop.test_tasks_there import saved

    labels = ("bert", "classification", "labels", {"pooling": "mean"})
    saved(tmp_path / "model", tokenizer("unigram", tmp_path), *labels)
    exported(tmp_path / "model", tmp_path / "page")


@needs_runtime
@pytest.mark.slow
@pytest.mark.parametrize("to", ["onnx", "onnx-int8"])
def test_vectors_of_a_page_are_those_of_python(to: str, tmp_path: Path) -> None:
    name = "wide cls sentence encoder" if to == "onnx-int8" else "sentence encoder"
    about = exported(saved_model(name, tmp_path), tmp_path / "page", to=to)
    assert about["info"]["abilities"] == ["embed", "search_text"]


@needs_runtime
@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt tagger", "spelling tagger"])
def test_entities_of_a_page_are_those_of_python(name: str, tmp_path: Path) -> None:
    about = exported(saved_model(name, tmp_path), tmp_path / "page")
    assert about["info"]["abilities"] == ["tag"]
    assert about["marks"] == [["B", "ANIMAL"], ["I", "ANIMAL"], None]
    assert not (tmp_path / "page" / "decode.py").exists()


@needs_runtime
@pytest.mark.slow
@pytest.mark.parametrize("name", ["marked matcher", "score"])
def test_pairs_of_a_page_are_those_of_python(name: str, tmp_path: Path) -> None:
    about = exported(saved_model(name, tmp_path), tmp_path / "page")
    assert about["labels"] == (None if name == "score" else ["cat", "dog", "hen"])
    assert about["pair"]["has_segments"]


@needs_runtime
@pytest.mark.slow
def test_words_that_a_vocabulary_lacks_are_unknown(tmp_path: Path) -> None:
    """The package of npm gives them an id only where a setting names the unknown token."""
    from tests.interop.test_tasks_there import saved

    text = tmp_path / "text.txt"
    text.write_text("the ship sails to one hut\n" * 20)
    labels = ("bert", "classification", "labels", {"pooling": "mean"})
    saved(tmp_path / "model", learn_subwords("word", {}, Corpus(text)), *labels)
    exported(tmp_path / "model", tmp_path / "page")


@needs_runtime
@pytest.mark.slow
def test_answers_of_a_page_are_those_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, compared = checking.check_by_node, list[tuple[str, str]]()

    def check(program: str, page: Path, wanted: dict[str, Any], script: str) -> Any:
        compared.extend(map(tuple, wanted["inputs"]))
        found = own(program, page, wanted, script)
        few = {name: each[-3:] if name != "bound" else each for name, each in wanted.items()}
        few["answers"][0]["answers"][0]["text"] = "another text"
        with pytest.raises(ModelFileError, match=r"does not answer as Python does.*: answer"):
            own(program, page, few, script)
        return found

    monkeypatch.setattr(network_file, "check_by_node", check)
    monkeypatch.setattr(network_file, "HARD_TOKENS", 2000)  # of many windows of a few tokens
    about = exported(saved_model("abstaining reader", tmp_path), tmp_path / "page")
    assert about["info"]["abilities"] == ["answer"]
    assert about["reading"]["may_abstain"]
    assert any(not question for question, _ in compared)
    assert any(not passage for _, passage in compared)


CHANGED: dict[str, tuple[Any, str]] = {
    "ids": (
        lambda about: about["input"].update(behind=[]),
        "does not answer as Python does.*: different ids for 'A short text",
    ),
    "numbers": (lambda about: about.update(several=True), "does not answer as Python does"),
}


@needs_runtime
@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGED)
def test_a_page_that_answers_otherwise_is_not_kept(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = network_file.NetworkPage.about
    change, said = CHANGED[what]

    def about(page: Any) -> dict[str, Any]:
        found = whole(page)
        change(found)
        return found

    monkeypatch.setattr(network_file.NetworkPage, "about", about)
    with pytest.raises(ModelFileError, match=said):
        exported(saved_model("classifier", tmp_path), tmp_path / "page")
    assert not (tmp_path / "page").exists()


@needs_runtime
@pytest.mark.slow
def test_a_text_that_the_package_reads_differently_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It alone merges neighbouring unknown tokens, where the file of a tokenizer says so."""

    def changed(runtime: Any, folder: Path) -> int:
        path = folder / "tokenizer.json"
        found = json.loads(path.read_text(encoding="utf-8"))
        found["model"]["fuse_unk"] = True
        path.write_text(json.dumps(found), encoding="utf-8")
        return copy_runtime(runtime, folder)

    monkeypatch.setattr(network_file, "copy_runtime", changed)
    said = r"@huggingface/tokenizers reads \d+ texts? of \d+ differently from foretext, .* \"Café"
    with pytest.raises(SettingError, match=said):
        exported(saved_model("classifier", tmp_path), tmp_path / "page")


@needs_runtime
@pytest.mark.slow
def test_without_node_a_note_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    model = saved_model("classifier", tmp_path)
    report = export_page(model, tmp_path / "page", runtime=NODE_MODULES, quiet=True)
    assert report.check is None
    assert any("has not been compared with Python" in note for note in report.notes)
    assert "there was no Node.js" in (tmp_path / "page" / "README.md").read_text()
