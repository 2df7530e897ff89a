"""`foretext export --to gguf`: read back, run in llama.cpp, and refused where that has no such."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.backbones.transformer import Transformer
from foretext.base.errors import MissingExtraError, ModelFileError, SettingError
from foretext.exporting.export import Exported, export
from foretext.exporting.gguf import llama_cpp
from foretext.exporting.gguf.file import read_gguf
from foretext.exporting.gguf.form import GgufExport
from foretext.exporting.gguf.llama_cpp import started
from foretext.language_model import LanguageModel
from foretext.tokenizers.subwords import learn_subwords
from tests.exporting.gguf.llama import MODELS, NPM, in_llama_cpp, model_of
from tests.exporting.models import saved_model
from tests.language_model import models

pytest.importorskip("gguf", reason="the extra 'gguf' is not installed")

GIVEN = ["the king lives in a castle by the sea", "Café 今天 👩‍👩‍👧‍👦 ship"]
READ_BACK = r"foretext read the file back; llama\.cpp did not run it, as (.+)"
RUN = r"llama\.cpp v[\d.]+ ran the file"


@pytest.fixture(autouse=True)
def without_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no package of the user answer."""
    monkeypatch.setenv("NODE_PATH", "")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def with_llama_cpp(monkeypatch: pytest.MonkeyPatch, without_packages: None) -> None:
    monkeypatch.setenv("NODE_PATH", str(NPM))


def saved(name: str, folder: Path) -> Path:
    model_of(name).save(folder / "model")
    return folder / "model"


def exported(name: str, folder: Path, to: str = "gguf") -> Exported:
    return export(saved(name, folder), folder / "copy", to, texts=GIVEN, quiet=True)


def record_of(done: Exported) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((done.output / "export.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", ["bert", "bert roberta", "gpt2", "llama biased"])
def test_a_file_that_is_read_back_holds_the_model(name: str, tmp_path: Path) -> None:
    done = exported(name, tmp_path)
    assert done.parity.difference == 0
    assert done.parity.ids_equal == done.parity.texts >= 14
    record = record_of(done)
    assert re.fullmatch(READ_BACK, record["checked_by"])
    assert record["checked_by"] == done.record()["checked_by"]
    assert record["checked_by"] in done.sentence()
    assert record["architecture"] == name.split()[0]
    assert re.search(READ_BACK, (done.output / "README.md").read_text(encoding="utf-8"))
    assert {path.name for path in done.output.iterdir()} == {
        "README.md",
        "export.json",
        "model-f32.gguf",
    }


def test_fewer_bits(tmp_path: Path) -> None:
    whole, half, eighth = (
        export(saved("bert cls", tmp_path), tmp_path / to, to, texts=GIVEN, quiet=True)
        for to in ("gguf", "gguf-f16", "gguf-q8")
    )
    assert whole.bytes > half.bytes > eighth.bytes
    assert 0 == whole.parity.difference < half.parity.difference < eighth.parity.difference < 0.1


def test_texts_that_llama_cpp_reads_differently_are_counted(tmp_path: Path) -> None:
    done = exported("bert", tmp_path)
    (cause,) = done.parity.otherwise
    assert "such as İ" in cause
    assert done.record()["read_otherwise"] == {cause: 1}
    assert f"reads 1 more text differently ({cause}: 1)" in done.sentence()
    texts = ["the king"] * 9 + ["\u0130the"]
    with pytest.raises(SettingError, match=r"1 text of 10 differently .*İ.*; nothing is kept"):
        export(tmp_path / "model", tmp_path / "more", "gguf", texts=texts)
    assert not (tmp_path / "more").exists()


def test_a_wrong_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = read_gguf

    def wrong(*arguments: Any) -> Any:
        found = right(*arguments)
        found.weights["blk.1.ffn_up.weight"][0] += 0.5
        return found

    monkeypatch.setattr("foretext.exporting.gguf.read_back.read_gguf", wrong)
    with pytest.raises(ModelFileError, match=r"'embedding'.* nothing is kept"):
        exported("bert", tmp_path)

    def other(*arguments: Any) -> Any:
        found = right(*arguments)
        return found._replace(keys={**found.keys, "attention.head_count": 4})

    monkeypatch.setattr("foretext.exporting.gguf.read_back.read_gguf", other)
    with pytest.raises(ModelFileError, match="does not hold what was written as 'attention"):
        exported("bert", tmp_path)


def test_the_package_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GgufExport, "packages", {"no_such_module": "gguf"})
    with pytest.raises(MissingExtraError, match=r"'gguf'.*foretext\[gguf\]"):
        exported("bert", tmp_path)


def tokenizer(kind: str, **settings: Any) -> Any:
    given = {"vocab_size": 330, **({} if kind == "unigram" else {"min_count": 1}), **settings}
    return learn_subwords(kind, given, models.Lines())


def over(tokenizer: Any, **facts: Any) -> LanguageModel:
    shape = models.bert().backbone.config  # type: ignore[attr-defined]
    backbone = Transformer(shape, tokenizer.vocab_size)
    given: Any = {"visibility": "full", "device": "cpu", **facts}
    return LanguageModel(tokenizer, backbone, None, **given)


FRAMED = {"special_tokens": ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]}
REFUSED = {
    "relu": (lambda: models.gpt(activation="relu"), "activation = 'relu'"),
    "relative": (lambda: models.gpt(positions="relative"), "llama.cpp does not compute"),
    "modernbert": (
        lambda: models.bert(positions="rotary", norm_position="pre", activation="geglu"),
        "llama.cpp does not compute",
    ),
    "shared layers": (
        lambda: models.bert(share_layers=True),
        r"llama\.cpp does not compute \(Transformer\); GGUF holds",
    ),
    "pooling": (
        lambda: over(
            models.learned_tokenizer("wordpiece"), pooling="max", is_sentence_encoder=True
        ),
        "by 'max', and llama.cpp by mean or cls",
    ),
    "unigram": (lambda: over(tokenizer("unigram", **FRAMED, vocab_size=60)), "is Unigram"),
    "characters": (
        lambda: over(tokenizer("bpe", level="character", **FRAMED)),
        "merges characters",
    ),
    "lowercase": (lambda: over(tokenizer("bpe", lowercase=True, **FRAMED)), "to lower case"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_llama_cpp_has_not_is_refused(case: str, tmp_path: Path) -> None:
    make, sentence = REFUSED[case]
    make().save(tmp_path / "model")
    with pytest.raises(SettingError, match=sentence):
        export(tmp_path / "model", tmp_path / "copy", "gguf")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("name", ["classifier", "static", "lstm"])
def test_kinds_without_the_format(name: str, tmp_path: Path) -> None:
    sentence = {
        "classifier": "task 'classification', whose answers llama.cpp does not compute",
        "lstm": r"llama.cpp does not compute \(Recurrent\)",
        "static": "export it to static, not gguf",
    }[name]
    with pytest.raises(SettingError, match=sentence):
        export(saved_model(name, tmp_path), tmp_path / "copy", "gguf")


def test_a_package_that_does_not_run_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "node_modules" / "node-llama-cpp"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model").write_bytes(b"GGUF")
    found = started(tmp_path / "model")
    assert found.llama_cpp is None
    assert re.match(r".*node-llama-cpp does not run: |there is no Node.js", found.lack)
    monkeypatch.setenv("PATH", "")
    assert started(tmp_path / "model").lack == "there is no Node.js (node)"


@in_llama_cpp
@pytest.mark.slow
@pytest.mark.usefixtures("with_llama_cpp")
@pytest.mark.parametrize("name", MODELS)
def test_llama_cpp_answers_as_the_original(name: str, tmp_path: Path) -> None:
    done = exported(name, tmp_path)
    parity = done.parity
    assert re.fullmatch(RUN, record_of(done)["checked_by"])
    assert parity.texts == parity.ids_equal >= 14
    assert parity.cosine is not None
    assert parity.cosine > 0.9999
    assert 0 < parity.relative < 0.01
    for found in parity.agreement.values():
        assert found.answers == found.equal >= 13
    card = (done.output / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```js\n(.+?)```", card, re.DOTALL)
    found = in_node(code.replace('"a text"', json.dumps("a ship")), done.output.parent)
    model = model_of(name)
    if "text" not in found:
        own = model.embed("a ship")
        vector = np.array(found["embedding"], np.float32)
        assert vector @ own / np.linalg.norm(vector) / np.linalg.norm(own) > 0.9999
        assert np.allclose(vector, own, atol=0.02)
        return
    (written,) = model.generate("a ship", max_new_tokens=16, temperature=0)
    assert found["text"] == written.text


@in_llama_cpp
@pytest.mark.slow
@pytest.mark.usefixtures("with_llama_cpp")
@pytest.mark.parametrize(("name", "to"), [("bert", "gguf-f16"), ("llama", "gguf-q8")])
def test_llama_cpp_reads_fewer_bits(name: str, to: str, tmp_path: Path) -> None:
    done = exported(name, tmp_path, to)
    assert re.fullmatch(RUN, record_of(done)["checked_by"])
    assert done.parity.cosine is not None
    assert done.parity.cosine > (0.999 if to == "gguf-f16" else 0.95)


@in_llama_cpp
@pytest.mark.slow
@pytest.mark.usefixtures("with_llama_cpp")
def test_a_file_that_llama_cpp_cannot_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(self: GgufExport, folder: Path) -> None:
        (folder / self.file).write_bytes(b"GGUF and nothing more")

    monkeypatch.setattr(GgufExport, "write", write)
    monkeypatch.setattr(llama_cpp, "PATIENCE", 30)  # node-llama-cpp waits for what never comes
    with pytest.raises(ModelFileError, match=r"llama\.cpp v[\d.]+ cannot run the file: .*Nothing"):
        exported("gpt2", tmp_path)
    assert not (tmp_path / "copy").exists()


def in_node(code: str, folder: Path) -> dict[str, Any]:
    """Run the code of a card in a folder beside the package, and return its last values."""
    (folder / "node_modules").symlink_to(NPM)
    named = "text" if "const text" in code else "embedding"
    program = (
        code.replace("getLlama()", "getLlama({gpu: false, maxThreads: 1, build: 'never'})")
        + f"console.log(JSON.stringify({{{named}}}));\nprocess.exit(0);\n"
    )
    (folder / "program.mjs").write_text(program, encoding="utf-8")
    done = subprocess.run(
        ["node", "program.mjs"], cwd=folder, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
