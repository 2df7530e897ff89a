"""Linear taggers and matchers, and classifiers of frozen vectors, on pages."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ModelFileError, SettingError
from foretext.exporting.page import checking, export_page, folder
from foretext.exporting.page import document_vectors as document_vectors_file
from foretext.exporting.page.bundle import bundle
from foretext.exporting.page.character_runs import character_runs
from foretext.exporting.page.check_texts import HARD_TEXTS
from foretext.exporting.page.document_vectors import PageDocumentVectors
from foretext.exporting.page.embedding_classifier import PageEmbeddingClassifier
from foretext.exporting.page.feature_names import FeatureNames
from foretext.exporting.page.linear_tagger import PageLinearTagger
from foretext.tasks.classification.embeddings.classifier import EmbeddingClassifier
from foretext.tasks.classification.embeddings.views import EmbeddedTexts
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.tagging.chain_regression import Chain
from foretext.tasks.tagging.linear import LinearTagger
from foretext.tasks.tagging.linear_features import named_features
from foretext.vectors import document_inference
from tests.exporting.page.models import MODELS, ROWS, TEXTS, WORDS, document_vectors, saved_vectors
from tests.exporting.page.node import change_wanted, needs_node

EVERY = " ".join(map(chr, [*range(0x20, 0xD800, 23), *range(0xE000, 0x33000, 41)]))
MIXED = (
    "McCoy-7 ⅨⅨa ªº ²3 ǅungla IĞDIR İstanbul ΟΔΥΣΣΕΎΣ ŉ ß 𝔘𝔫𝟘𝟙 ⓐⒶ e\u0301te\u0301 x\u20dd A\u0301B"
)
OTHERS = (
    "three labels",
    "linear score",
    "tagger of characters",
    "tagger with vectors",
    "tagger with n-grams",
    "embeddings of two labels",
    "embeddings of sets",
    "document vectors",
    "PV-DM",
    "PV-DM, sum",
    "PV-DM, side by side",
)
LONG = " ".join(WORDS * 15)
CLOSE, INFERRED = 1e-6, 1e-5  # of numbers in float32; a kernel infers vectors in float32, too


def own_texts(number: int = 60) -> list[str]:
    """Texts of the models' words in any case, with emoji, marks and capitals between them."""
    rng = np.random.default_rng(2)
    words = np.array([*WORDS, *(word.title() for word in WORDS), "O'Neil", "😀", "e\u0301", "🇨🇳"])
    return [*TEXTS, *(" ".join(rng.choice(words, rng.integers(1, 25))) for _ in range(number))]


@needs_node
@pytest.mark.parametrize(
    "name",
    ["linear tagger", "linear matcher", *(pytest.param(x, marks=pytest.mark.slow) for x in OTHERS)],
)
def test_numbers_in_full_give_the_probabilities_of_python(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "STORAGE_TYPES", ("float32",))
    path = MODELS[name](tmp_path)
    report = export_page(path, tmp_path / "page", texts=own_texts(), quiet=True)
    assert report.check is not None
    assert report.check.texts > len(HARD_TEXTS) + 60
    assert report.check.numbers > 80
    infers = name.startswith(("embeddings", "document", "PV-DM"))
    assert 0 < report.check.largest < (INFERRED if infers else CLOSE)


@needs_node
def test_a_long_text_is_inferred_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (document_inference, document_vectors_file):
        monkeypatch.setattr(module, "MAX_SENTENCE", 50)  # of 10,000 words
    path = MODELS["PV-DM"](tmp_path)
    whole = ft.load(path).embed(LONG)
    report = export_page(path, tmp_path / "page", texts=[LONG, LONG[:600]], quiet=True)
    assert report.check is not None
    assert len(LONG.split()) > 200
    monkeypatch.undo()
    assert not np.allclose(ft.load(path).embed(LONG), whole)


def test_texts_over_which_a_page_would_learn_too_long_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_INFERRED", 500)
    own = [LONG, "the ship", LONG, "the king"]
    for name, given in (("document vectors", own), ("embedding classifier", own)):
        model: Any = folder.PAGE_MODELS.resolve(name)(ft.load(MODELS[name](tmp_path)), name)
        found = folder._compared_texts(model, given)
        assert found.count(LONG) == 1
        assert {*HARD_TEXTS, "the ship", "the king"} <= set(found)
        (tmp_path / "model").rename(tmp_path / name)


@needs_node
def test_vectors_that_a_page_gives_are_those_of_python(tmp_path: Path) -> None:
    """As they are, or of length 1, as the page that compares texts asks for them."""
    path = MODELS["PV-DM, side by side"](tmp_path)
    export_page(path, tmp_path / "page", texts=["the ship"], quiet=True)
    script = bundle("engine/models.js").removesuffix("})();\n")
    script += (
        'const { buffer } = Uint8Array.from(require("node:fs").readFileSync(process.argv[2]));\n'
        "const { answer } = _engine_models_js.opened(buffer);\n"
        "const found = [false, true].map((normalize) => (\n"
        '  answer("embed", { inputs: JSON.parse(process.argv[3]), normalize })));\n'
        "console.log(JSON.stringify(found));\n})();\n"
    )
    (tmp_path / "vectors.cjs").write_text(script, encoding="utf-8")
    texts = [LONG, "the ship and the king"]
    command = ["node", "vectors.cjs", "page/model.safetensors", json.dumps(texts)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    model = ft.load(path)
    for found, normalize in zip(json.loads(run.stdout), (False, True), strict=True):
        np.testing.assert_allclose(found, model.embed(texts, normalize=normalize), atol=5e-3)


@needs_node
def test_features_of_tokens_are_those_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    for name in ("linear tagger", "tagger of characters"):
        own = tmp_path / name.replace(" ", "-")
        own.mkdir()
        path = MODELS[name](own)
        export_page(path, own / "page", texts=["one text"], quiet=True)
        texts = [*HARD_TEXTS, MIXED, EVERY]
        (own / "texts.json").write_text(json.dumps(texts))
        (own / "features.cjs").write_text(bundle("node_features.js"), encoding="utf-8")
        command = ["node", "features.cjs", "page/model.safetensors", "texts.json"]
        run = subprocess.run(command, cwd=own, capture_output=True, encoding="utf-8", check=True)
        model = LinearTagger.load(path)
        wanted = [
            named_features([token.text for token in tokens], by_character=model.by_character)
            for tokens in model.tokens(texts)
        ]
        assert json.loads(run.stdout) == wanted


def test_classes_of_characters_are_runs() -> None:
    found = character_runs(str.isdigit)  # type: ignore[arg-type]  # True is 1
    ends = [*found["starts"][1:].tolist(), 0x110000]
    runs = zip(found["starts"].tolist(), ends, found["kinds"].tolist(), strict=True)
    assert [
        point for first, end, kind in runs for point in range(first, end) if kind
    ] == [point for point in range(0x110000) if chr(point).isdigit()]  # fmt: skip


def test_names_of_features_share_what_they_have_in_common() -> None:
    names = ["", "w0=a", "w0=a😀", "w0=a😃b", "w0=ab", "x" * 300, "x" * 300 + "y", "\ud83dz"]
    shared, rests = FeatureNames.of(names)
    assert rests[1:5] == ["w0=a", "😀", "😃b", "b"]
    last = ""
    for size, rest, name in zip(shared.tolist(), rests, names, strict=True):
        units = last.encode("utf-16-le", "surrogatepass")[: 2 * size]
        last = units.decode("utf-16-le", "surrogatepass") + rest
        assert last == name


def test_features_that_weigh_nothing_are_left_out(tmp_path: Path) -> None:
    model = LinearTagger.load(MODELS["linear tagger"](tmp_path))
    weights = np.array(model.weights)
    weights[5:25] = 0
    parts = model.parts._replace(chain=Chain(weights, model.parts.chain.steps))
    page = PageLinearTagger(LinearTagger.of_parts(parts), "tagger")
    size = len(model.feature_names)
    assert page.matrices["features.weights"].shape == (size - 20, len(model.label_names))
    assert page.notes == [f"20 of {size} features weigh nothing and are left out"]
    again = page.with_matrices(page.matrices).model
    np.testing.assert_array_equal(again.weights, weights)


@needs_node
def test_the_page_of_a_tagger_keeps_fewer_bytes_where_no_tag_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "BOUND", 1.0)  # of probabilities; tags decide alone
    path = MODELS["linear tagger"](tmp_path)
    report = export_page(path, tmp_path / "page", texts=own_texts(20), quiet=True)
    assert report.dtype == "int8"
    monkeypatch.setattr(
        PageLinearTagger,
        "answers",
        lambda self, texts: {"tags": [{"path": [id(self)], "chances": [], "spans": []}]},
    )
    assert folder._smallest_type(PageLinearTagger(ft.load(path), "tagger"), []) == "float32"


class Strange(NamedTuple):
    """A base that no browser runs."""

    kind: str = "topics"
    tokenizer: None = None


def test_a_base_that_no_browser_runs_is_named() -> None:
    learned = EmbeddingClassifier().fit(*ROWS)
    view = EmbeddedTexts("runs/topics", Strange())
    learned = EmbeddingClassifier.of_parts(learned.parts._replace(views=[*learned.views, view]))
    with pytest.raises(SettingError, match="cannot run 'runs/topics', on which labels has learned"):
        PageEmbeddingClassifier(learned, "labels")


def test_a_base_of_words_of_jieba_is_named() -> None:
    pytest.importorskip("jieba")
    learned = EmbeddingClassifier(saved_vectors("chinese_words"), weighting="mean").fit(*ROWS)
    said = "'WordVectors', on which labels has learned, cuts Chi.*pretrain word2vec .*--with BASE"
    with pytest.raises(SettingError, match=said):
        PageEmbeddingClassifier(learned, "labels")


def test_document_vectors_of_words_of_jieba_are_named() -> None:
    pytest.importorskip("jieba")
    vectors = document_vectors(cut="chinese_words")
    with pytest.raises(SettingError, match=r"--set tokenizer.pre_tokenizer=chinese_characters, or"):
        PageDocumentVectors(vectors, "vectors")
    learned = EmbeddingClassifier(vectors).fit(*ROWS)
    with pytest.raises(SettingError, match=r"'DocumentVectors', on .*pretrain doc2vec .*--with B"):
        PageEmbeddingClassifier(learned, "labels")


def test_a_matcher_of_words_of_jieba_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    pairs = [("我爱北京", "我爱北京天安门"), ("中文分词", "自然语言")] * 3
    LinearMatcher().fit(pairs, [True, False] * 3).save(tmp_path / "model")
    with pytest.raises(SettingError, match=r"jieba, which does not run.*--set task.mode=pair"):
        export_page(tmp_path / "model", tmp_path / "page", quiet=True)


def wrong_tag(wanted: dict[str, Any]) -> None:
    path = wanted["tags"][3]["path"]
    path[0] = (path[0] + 1) % 3


WRONG = {
    "tag": ("linear tagger", wrong_tag, "text 4: tags"),
    "entity": ("linear tagger", lambda wanted: wanted["tags"][3]["spans"].pop(), "4: entities"),
    "chance": (
        "linear tagger",
        lambda wanted: wanted["tags"][3]["chances"].__setitem__(0, 2.0),
        "text 4, token 1",
    ),
    "score": (
        "linear score",
        lambda wanted: wanted["probabilities"][3].__setitem__(0, 7.0),
        "text 4, label score",
    ),
}


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_another_answer_is_an_error(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, change, message = WRONG[case]
    change_wanted(monkeypatch, change)
    path = MODELS[name](tmp_path)
    with pytest.raises(ModelFileError, match=rf"does not answer as Python does.*{message}"):
        export_page(path, tmp_path / "page", texts=["a short text"], quiet=True)
    assert not (tmp_path / "page").exists()
