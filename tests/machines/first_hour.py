"""What a newcomer does in the first hour, for a Python of another machine: no pytest is needed.

    PYTHON first_hour.py FOLDER

Each step prints its name and its seconds. ``FOLDER/found.json`` holds what it computed, which the
test compares with what this machine computes.
"""

from __future__ import annotations

import io
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

TOPICS = {
    "animals": ["cat", "dog", "horse", "cow", "sheep", "fox"],
    "colours": ["red", "blue", "green", "white", "black", "grey"],
    "food": ["bread", "milk", "cheese", "butter", "apple", "soup"],
}
VERBS = ["sees", "likes", "finds", "takes", "brings", "knows"]
ALONE = ["--set", "vectors.workers=1"]  # so that every machine draws and adds in the same order
TRAINING = ["--set", "vectors.vector_size=16", "--set", "tokenizer.min_count=1", *ALONE]
LONG = [*TRAINING, "--set", "vectors.epochs=100", "--set", "vectors.checkpoint_seconds=0.2"]
SECONDS = 120  # that a process of a step may take


def write_texts() -> None:
    draw = random.Random(0)
    with Path("corpus.txt").open("w", encoding="utf-8", newline="\n") as corpus:
        for number in range(3000):
            words = draw.choice(list(TOPICS.values()))
            a, b, c = (draw.choice(words) for _ in range(3))
            end = "\n\n" if number % 20 == 19 else "\n"
            corpus.write(f"the {a} {draw.choice(VERBS)} the {b} and a {c} .{end}")
    with Path("rows.tsv").open("w", encoding="utf-8", newline="\n") as rows:
        rows.write("text\tlabel\n")
        for _ in range(300):
            label = draw.choice(list(TOPICS))
            a, b = (draw.choice(TOPICS[label]) for _ in range(2))
            rows.write(f"the {a} {draw.choice(VERBS)} the {b}\t{label}\n")


def command(*arguments: str) -> str:
    """Run a command in this process, which has loaded its packages; return what it prints."""
    from foretext.cli.app import app

    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = app([*arguments], prog_name="foretext", standalone_mode=False)
    except BaseException:
        print(err.getvalue(), file=sys.stderr)
        raise
    assert not code, (arguments, code, err.getvalue())
    return out.getvalue()


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    flags = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {}
    return subprocess.Popen(
        [sys.executable, "-m", "foretext", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **flags,  # type: ignore[call-overload]
    )


def version() -> list[str]:
    with started("--version") as process:
        said, _ = process.communicate(timeout=SECONDS)
    assert said.startswith("foretext "), said
    return said.split()


def tokenizer() -> dict[str, Any]:
    command("tokenizer", "corpus.txt", "-o", "pieces", "--kind", "bpe", "--vocab-size", "300", "-q")
    from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

    return {
        "ids": list(
            SubwordTokenizer.load(Path("pieces/tokenizer.json")).encode("the cat likes the dog .")
        )
    }


def word_vectors() -> dict[str, float]:
    command("pretrain", "word2vec", "corpus.txt", "-o", "words", "-q", *TRAINING)
    return json.loads(command("neighbors", "words", "cat", "--json"))


def replaced() -> dict[str, float]:
    """A run takes the place of another one, whose files are mapped."""
    command("pretrain", "word2vec", "corpus.txt", "-o", "words", "-q", "--overwrite", *TRAINING)
    return json.loads(command("neighbors", "words", "cat", "--json"))


def locked() -> bool:
    """A folder that a process has locked is refused to another one, and free afterwards."""
    from foretext.base.files import held_folder

    arguments = ["pretrain", "word2vec", "corpus.txt", "-o", "words", "--overwrite"]
    with held_folder(Path("words")), started(*arguments) as process:
        _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 2, said
    assert list(Path.cwd().glob(".*.lock")) == []
    return "Another process is at work" in said


def resumed() -> list[float]:
    """A run is killed in the middle of its training, and goes on."""
    with started("pretrain", "word2vec", "corpus.txt", "-o", "long", "-q", *LONG) as process:
        until = time.monotonic() + SECONDS
        while not list(Path("long").glob("checkpoints/step-*")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until, "no checkpoint"
            time.sleep(0.02)
        process.kill()
    assert Path("long/checkpoints").is_dir()
    command("pretrain", "word2vec", "corpus.txt", "-o", "long", "-q", "--resume", *LONG)
    left = [path.name for path in Path.cwd().glob(".*")]
    assert left == [], left
    return vector("long")


def vector(run: str) -> list[float]:
    import foretext as ft

    return [float(number) for number in ft.WordVectors.load(f"{run}/vectors.safetensors")["cat"]]


def classifiers() -> dict[str, Any]:
    found = {}
    for learner in ("linear", "fasttext"):
        command("finetune", "classification", learner, "rows.tsv", "-o", learner, "-q")
        found[learner] = json.loads(command("evaluate", learner, "rows.tsv", "--json"))
    return found


def page() -> int:
    command("report", "words")
    return len(Path("words/report.html").read_bytes())


def search() -> list[Any]:
    """An index is made, searched and replaced."""
    command("index", "words", "corpus.txt", "-o", "library", "-q")
    command("index", "words", "corpus.txt", "-o", "library", "-q", "--overwrite")
    return json.loads(command("search", "library", "the cat sees", "-k", "3", "--json"))


def exported() -> list[str]:
    command("export", "words", "-o", "site", "--page", "--texts", "corpus.txt")
    return sorted(path.relative_to("site").as_posix() for path in Path("site").rglob("*.html"))


def served() -> int:
    """A server answers, and ends. Wine has no console that could send a Ctrl-Break."""
    with started("serve", "words", "--port", "0") as process:
        try:
            said = process.stdout.readline()
            url = re.search(r"http://[\d.:]+", said)
            assert url is not None, (said, process.communicate())
            body = json.dumps({"model": "words", "input": ["cat", "dog"]}).encode()
            ask = Request(f"{url[0]}/v1/embeddings", body, {"Content-Type": "application/json"})
            with urlopen(ask, timeout=SECONDS) as reply:
                found = json.load(reply)
            process.terminate()
            process.wait(timeout=SECONDS)
        finally:
            process.kill()
    return len(found["data"])


def measured() -> dict[str, int | None]:
    from foretext.base.runtime import free_memory
    from foretext.base.system import peak_memory, total_memory

    return {"free": free_memory(), "peak": peak_memory(), "total": total_memory()}


STEPS: dict[str, Callable[[], Any]] = {
    each.__name__: each
    for each in (version, tokenizer, word_vectors, replaced, locked, resumed, classifiers, page,
                 search, exported, served, measured)
}  # fmt: skip


def main(folder: str, names: Sequence[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    os.chdir(folder)
    write_texts()
    found: dict[str, Any] = {"machine": [platform.system(), platform.machine()]}
    for name in names or STEPS:
        began = time.monotonic()
        found[name] = STEPS[name]()
        print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
    Path("found.json").write_text(json.dumps(found), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
