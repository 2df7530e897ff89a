"""Every recipe that learns can show what it reads, whatever the text is."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import ForetextError
from foretext.messages import Language
from foretext.pretraining.learner import Learner, learner_of
from foretext.recipe import Recipe
from foretext.recipes import recipe_names
from foretext.report.showing import Showing
from foretext.shown import TokenLines
from foretext.tasks import TASKS
from foretext.tokenizers.subwords import SUBWORDS
from tests.task_files import write_task_files


def _shows(name: str) -> bool:
    recipe = Recipe.load(name)
    return recipe.kind.reads_text and type(learner_of(recipe)).show is not Learner.show


RECIPES = [*(name for name in recipe_names() if _shows(name)), *SUBWORDS]
ENGLISH = """The old ship left the harbour at dawn. The crew sang on the deck. A storm came.

The judge read the verdict in the court. The jury had listened for weeks. Nobody spoke."""
CHINESE = """老船在黎明时分离开了港口。船员们在甲板上唱歌。西边来了一场暴风雨。

法官在法庭上宣读了判决。陪审团已经听了两个星期。没有人说一句话。"""
HOSTILE = (
    "<script>alert('ship')</script> & </td></table> \x1b[31mred\x1b[0m \u202eback\u202c {rate} %s. "
    "The old ship left. A storm came.\n\n"
    "<b>The judge</b> read the verdict\x07. Nobody spoke \\u001b. The jury & the court."
)
TEXTS: dict[str, tuple[str, Language]] = {
    "english": (ENGLISH, "en"),
    "chinese": (CHINESE, "zh"),
    "hostile": (HOSTILE, "en"),
    "numbers": ("1914 1918 7 7 1914. 42 1918 7.\n\n1939 1945 42 7 1939.", "en"),
    "long": ("the ship and the wave " * 460 + ".\n\n" + "the judge and the jury " * 40, "en"),
}
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.mark.quick_cases(18)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_shows_every_text(name: str, text: str) -> None:
    given, lang = TEXTS[text]
    showing = ft.show(name, given, examples=2, lang=lang)
    _check(showing)
    if lang == "zh":
        said = json.dumps([shown.title for shown in showing.shown], ensure_ascii=False)
        assert re.search("[\u4e00-\u9fff]", said)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("task", TASKS)
def test_every_task_shows_its_rows(task: str, lang: Language, tmp_path: Path) -> None:
    rows = write_task_files(tmp_path).train(task)
    _check(ft.show(task, rows, examples=2, lang=lang))


def _check(showing: Showing) -> None:
    data = showing.to_json()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["shown"]
    page, text = showing.to_html(), str(showing)
    assert "<script" not in page.partition("<body>")[2]
    assert "</td></table> " not in page
    assert not STEERING.search(page.replace("\n", ""))
    assert not STEERING.search(text.replace("\n", ""))
    for shown in showing.shown:
        assert shown.title in text


@pytest.mark.parametrize("name", RECIPES)
def test_what_is_no_text_is_refused_by_a_sentence(name: str) -> None:
    for text in ("", "  \n\n ", "missing.txt", "ship"):
        with pytest.raises(ForetextError, match="text"):
            ft.show(name, text)


@pytest.mark.parametrize("name", RECIPES)
def test_signs_alone_are_shown_or_refused(name: str) -> None:
    for text in ("+ + * * - ( ) + * - = = !\n\n+ - + * * = ?", "— … — …\n\n… — …"):
        with suppress(ForetextError):  # a recipe of whole words finds none
            _check(ft.show(name, text, examples=2, lang="en"))


@pytest.mark.parametrize(("size", "settings"), [(6000, []), (600, ["tokenizer.min_count=5"])])
def test_the_vocabulary_is_that_of_pretrain(size: int, settings: list[str], tmp_path: Path) -> None:
    """Of a text that is not small, or with the setting that a note on a small one advises."""
    words = [f"word{number}" for number in range(size)]
    lines = (" ".join(words[: size // least]) for least in range(1, 13))
    text = tmp_path / "corpus.txt"
    text.write_text("\n".join([*lines, *[" ".join(words[: size // 2])] * 9]))
    assert (text.stat().st_size > 1 << 18) is (not settings)
    short = ["vectors.epochs=1", "vectors.vector_size=4", "vectors.workers=1"]
    out = tmp_path / "run"
    vectors = ft.pretrain("word2vec", text, out, settings=[*short, *settings], quiet=True)
    shown = ft.show("word2vec", text, examples=1, settings=settings, lang="en").shown[0]
    assert f"{len(vectors):,} different words" in str(shown)
    assert len(vectors) == size // 2
    assert "min_count" not in str(shown)


@pytest.mark.parametrize("name", RECIPES)
def test_the_seed_decides_what_is_drawn(name: str) -> None:
    first, again = (ft.show(name, ENGLISH, examples=2, seed=3, lang="en") for _ in range(2))
    assert first == again


def test_marks_of_all_lines_are_explained() -> None:
    for name in RECIPES:
        for shown in ft.show(name, ENGLISH, examples=1, lang="zh").shown:
            for part in shown.parts:
                if isinstance(part, TokenLines):
                    assert all(mark.meaning for mark in part.legend.values()), name
