"""Shared fixtures: where the public data sets are, and quiet, reproducible runs."""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from foretext.data.token_file import Tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

# Two test processes on two cores: more threads than that would wait for each other, spinning.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests start hundreds of processes, each of which would compile every module again where the
# environment forbids Python to keep what it compiles. pytest keeps its rewritten tests, too.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Without this Ray writes a token into the home folder. A process keeps what it read first, and does
# not understand clusters that are started with another value.
os.environ["RAY_AUTH_MODE"] = "disabled"

# Tests expect English, whatever the machine speaks; one of another language says so.
os.environ["FORETEXT_LANG"] = "en"

# Nothing that a test writes has to survive a power cut, and disks take milliseconds to promise it.
# Processes that a test starts still wait for them, and what is killed is one of those.
os.fsync = lambda handle: None

# Kernels compile at their first call, so a deadline an example would be a matter of luck; and a
# test run that draws other examples every time is not one that can be repeated.
settings.register_profile("foretext", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("foretext")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, and never again look through what was collected."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test that come after its `quick_cases` as slow ones."""
    seen: Counter[str] = Counter()
    for item in items:
        if marker := item.get_closest_marker("quick_cases"):
            test = item.nodeid.partition("[")[0]
            seen[test] += 1
            if seen[test] > marker.args[0]:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets named by FORETEXT_DATA; tests that ask for it skip without."""
    folder = Path(os.environ.get("FORETEXT_DATA", ""))
    if not os.environ.get("FORETEXT_DATA") or not folder.is_dir():
        pytest.skip("FORETEXT_DATA names no folder of data sets")
    return folder


@pytest.fixture(scope="session")
def animal_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text file of small documents that a small network learns at once."""
    from tests.networks import sentences

    path = tmp_path_factory.mktemp("animals") / "animals.txt"
    path.write_text(sentences(400), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def wordpiece(animal_text: Path) -> SubwordTokenizer:
    """BERT's kind of tokenizer, learned from the animals."""
    from tests.networks import tokenizer_for

    return tokenizer_for("wordpiece", animal_text)


@pytest.fixture(scope="session")
def byte_bpe(animal_text: Path) -> SubwordTokenizer:
    """GPT's kind of tokenizer, learned from the animals."""
    from tests.networks import tokenizer_for

    return tokenizer_for("bpe", animal_text)


@pytest.fixture(scope="session")
def bert_tokens(
    animal_text: Path, wordpiece: SubwordTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Tokens:
    """The animals as BERT's ids."""
    from tests.networks import encode

    return encode(animal_text, wordpiece, tmp_path_factory.mktemp("ids") / "tokens")


@pytest.fixture(scope="session")
def gpt_tokens(
    animal_text: Path, byte_bpe: SubwordTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Tokens:
    """The animals as GPT's ids."""
    from tests.networks import encode

    return encode(animal_text, byte_bpe, tmp_path_factory.mktemp("ids") / "tokens")
