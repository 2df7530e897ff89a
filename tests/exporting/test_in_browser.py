"""Exported folders in transformers.js in Chromium: the page of the guide, from a local web server.

Every file comes from ``build/npm``, where ``make clients`` puts it; the page requests nothing else.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.exporting.export import export
from foretext.exporting.texts import HARD
from tests.docs.markdown import blocks_of
from tests.exporting.models import saved_model
from tests.exporting.page.networks import NODE_MODULES
from tests.exporting.page.test_in_browser import served
from tests.networks import sentences
from tests.report.browser import opened_browser
from tests.serving.browser.visit import Visit
from tokenizers import Tokenizer

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "export-programs.md"
VENDORED = {  # as the guide copies them
    "transformers": "@huggingface/transformers/dist",
    "onnxruntime-web": "onnxruntime-web/dist",
    "onnxruntime-common": "onnxruntime-common/dist/esm",
}
KIND = "sentence encoder"
NUM_TEXTS = 50
LOADED = (
    "transformers/transformers.web.min.js",
    "onnxruntime-web/ort.wasm.min.mjs",
    "onnxruntime-web/ort-wasm-simd-threaded.wasm",
    "models/exported/onnx/model.onnx",
)
SCRIPT = """
const done = arguments[arguments.length - 1], texts = arguments[0];
(async () => {{ {} }})().then(done, (error) => done(`failed: ${{error.stack}}`));
"""
EMBEDDED = """
const answers = [];
for (const text of texts) answers.push(...await embedded([text]));
return answers;
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all((NODE_MODULES / path).is_dir() for path in VENDORED.values()),
        reason="@huggingface/transformers in build/npm is missing; `make clients`",
    ),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the guide puts on a web server."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "kept").mkdir()
    export(saved_model(KIND, folder / "kept"), folder / "models" / "exported", quiet=True)
    for name, path in VENDORED.items():
        (folder / name).symlink_to(NODE_MODULES / path)
    (page,) = (block for block in blocks_of(GUIDE) if block.file == "index.html")
    (folder / "index.html").write_text(page.text, encoding="utf-8")
    return folder


def whole_texts(site: Path) -> list[str]:
    """Texts with words that are read to their end: of longer ones transformers.js drops [SEP]."""
    tokenizer = Tokenizer.from_file(str(site / "models" / "exported" / "tokenizer.json"))
    most = tokenizer.truncation["max_length"]
    tokenizer.no_truncation()
    texts = dict.fromkeys([*HARD, *sentences(400).splitlines()])
    return [x for x in texts if x.strip() and len(tokenizer.encode(x).ids) <= most][:NUM_TEXTS]


def test_the_page_of_the_guide_answers_as_python_does(site: Path) -> None:
    texts = whole_texts(site)
    encoder = ft.load(site / "kept" / KIND.replace(" ", "-"))
    encoder.use_precision("fp32")
    with served(site) as address, opened_browser() as browser:
        visit = Visit(browser, f"{address}/", 1280, "light")
        visit.wait(lambda: visit.run("return !!window.embedded"), "the model of the page")
        visit.driver.set_script_timeout(120)
        found = visit.driver.execute_async_script(SCRIPT.format(EMBEDDED), texts)
        assert isinstance(found, list), found
        assert len(found) == NUM_TEXTS
        assert np.allclose(np.array(found), encoder.embed(texts), atol=1e-5)
        assert visit.strangers() == []
        assert {f"/{path}" for path in LOADED} <= {each.path for each in visit.exchanges}
        assert visit.messages == []
