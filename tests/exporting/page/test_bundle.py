from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foretext.exporting.page.bundle import OVERLAY, bundle, page_source

ENTRIES = ("page/entry.js", "page/check_entry.js", "node_check.js", "node_cut.js")


@pytest.mark.parametrize("entry", ENTRIES)
def test_all_modules_become_one_script(entry: str, tmp_path: Path) -> None:
    script = bundle(entry)
    lines = script.splitlines()
    assert not [line for line in lines if line.startswith(("import ", "export "))]
    assert len([line for line in lines if line.endswith(f"// {entry}")]) == 1
    program = shutil.which("node")
    if program is None:
        pytest.skip("Node.js is not installed")
    (tmp_path / "script.cjs").write_text(script)
    subprocess.run([program, "--check", str(tmp_path / "script.cjs")], check=True)


def test_a_page_has_its_own_form_of_modules() -> None:
    script = bundle("page/entry.js")
    assert "_page_api_js" in script
    assert "_playground_api_js" not in script
    assert "fetch(address" not in script
    assert "_playground_words_en_js" in script  # which the page's own words begin with
    assert "_engine_models_js" in script


def test_each_own_form_stands_for_a_module_of_the_playground() -> None:
    for name, own in OVERLAY.items():
        assert page_source(name)
        assert page_source(own)


def test_pages_need_no_package_of_a_server() -> None:
    program = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from foretext.exporting.page.bundle import bundle\n"
        f"assert all(map(bundle, {ENTRIES!r}))\n"
        "assert 'foretext.serving' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_exports_names_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {
        "one.js": 'import two from "./two.js";\nimport { three as four } from "./two.js";\n'
        'import * as all from "./two.js";\n'
        "console.log(two, four(), all.five);\n",
        "two.js": "export default 2;\nexport function three() { return 3; }\n"
        "export const five = 5;\n",
    }
    monkeypatch.setattr("foretext.exporting.page.bundle.page_source", sources.__getitem__)
    script = bundle("one.js")
    program = shutil.which("node")
    if program is None:
        pytest.skip("Node.js is not installed")
    run = subprocess.run([program, "-e", script], capture_output=True, text=True, check=True)
    assert run.stdout == "2 3 5\n"
