"""The errors that people meet first, in Chinese: no English sentence is left in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

import foretext as ft
from foretext.artifact import load_task, load_vectors
from foretext.base.config import Config, duration_seconds
from foretext.base.errors import ForetextError, SettingError, UnknownWordError
from foretext.base.files import output_error
from foretext.cli.shared import refuse_options
from foretext.corpus import Corpus, CorpusConfig
from foretext.data.rows import RowsConfig
from foretext.finetuning.bases import learner_class
from foretext.messages import LANGUAGES, in_language, messages_of
from foretext.recipe import Recipe
from foretext.tasks.named_columns import checked_columns
from foretext.tasks.task import task_named
from foretext.vectors.room import refuse_without_room

KEPT = re.compile(r"`[^`]*`|'[^']*'|（[^（）]*）")  # commands, names, and what a library says
ENGLISH = re.compile(r"(?:[A-Za-z]+ ){3,}[A-Za-z]+")


class Chosen(Config):
    """Settings of every kind that is checked."""

    rate: float = Field(0.5, ge=0, le=1)
    number: int = Field(1, gt=0, lt=9)
    kind: Literal["a", "b"] = "a"
    word: str | None = None
    both: int | Literal["auto"] = 1
    either: int | float | dict[str, int] = 1


def chosen(**values: Any) -> Chosen:
    return Chosen.checked(values, "part")


def text(folder: Path, name: str, content: str | bytes, **reading: Any) -> list[str]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(Corpus(path, CorpusConfig(**reading)).blocks())


def rows(folder: Path, content: str, **options: Any) -> Any:
    path = folder / "rows.tsv"
    path.write_text(content, encoding="utf-8")
    return ft.finetune("classification", "linear", path, quiet=True, **options)


def objects(folder: Path, row: object) -> Any:
    path = folder / "r.jsonl"
    path.write_text(row if isinstance(row, str) else json.dumps(row), encoding="utf-8")
    return ft.finetune("classification", "linear", path, quiet=True)


def beside_others(folder: Path) -> None:
    (folder / "run").mkdir()
    (folder / "run" / "mine.txt").write_text("x", encoding="utf-8")
    rows(folder, "text\tlabel\n" + "x y\tz\na b\tc\n" * 9, out=folder / "run")


Meet = Callable[[Path], object]
MET: dict[str, tuple[Meet, str]] = {
    "no corpus": (lambda _: Corpus([]), "没有给出语料；请给出"),
    "texts for a file": (lambda _: ft.Word2Vec().fit("no/such.txt"), "没有这个文件或文件夹"),
    "no text in a folder": (lambda path: Corpus(path), "中没有文本文件"),
    "column of csv": (
        lambda path: text(path, "a.csv", "body,label\nx,y\n", column="txt"),
        "没有列 'txt'，只有 'body', 'label'。请用 column 指定其中一列",
    ),
    "fields of csv": (
        lambda path: text(path, "a.csv", "text,label\nx,y,z\n"),
        "第 2 行：有 3 个字段，而表头有 2 个；含有分隔符的字段需要加引号。",
    ),
    "quotation marks": (lambda path: text(path, "a.csv", 'text\n"x\n'), "引号没有闭合"),
    "no json": (lambda path: text(path, "a.jsonl", "{x\n"), "第 1 行：这不是 JSON"),
    "json of another kind": (lambda path: text(path, "a.jsonl", '{"text": 1}\n'), "不是文本"),
    "encoding": (
        lambda path: text(path, "a.txt", "国王和王后住在海边".encode("gbk") * 9),
        "第 1 行：偏移 0 处的字节（0xb9）不是 utf-8；文本",
    ),
    "binary": (lambda path: text(path, "a.txt", b"text\0text" * 9), "偏移 4 处的字节是 NUL，文本"),
    "empty gz": (lambda path: text(path, "a.txt.gz", b""), "已损坏：它是空的"),
    "rare words": (lambda path: words(path, "a b c\n"), "只出现 1 次；请把 min_count 从 5 降到 1"),
    "column of rows": (
        lambda path: rows(path, "a\tb\nx\ty\n" * 3),
        "没有列 'label'，只有 'a', 'b'。请指定列",
    ),
    "one label": (
        lambda path: rows(path, "text\tlabel\n" + "x y\tz\n" * 9),
        "都带标签 'z'，没有可学的",
    ),
    "pdf": (lambda path: text(path, "a.txt", b"%PDF-1.7 x"), "不是文本，而是 PDF 文档；请先提取"),
    "memory": (lambda _: refuse_without_room(10**12, 64), "训练 1,000,000,000,000 个向量约需"),
    "type of a text": (
        lambda path: objects(path, {"text": 1, "label": "a"}),
        "r.jsonl，第 1 行：'text' 中是数，而这里需要文本。",
    ),
    "value of an object": (
        lambda path: objects(path, {"text": {"en": "x"}, "label": "a"}),
        "'text' 中是对象，而这里需要文本；请指定其中的一个值，例如 'text.en'。",
    ),
    "type of a label": (lambda path: objects(path, {"text": "x", "label": {}}), "标签是对象；"),
    "half of a pair": (lambda path: objects(path, {"text": "\ud83d", "label": "a"}), "半个代理对"),
    "fields of rows": (lambda path: rows(path, "text\tlabel\nx\n"), "有 1 个字段，而表头有 2 个；"),
    "broken rows": (lambda path: objects(path, "{x"), "第 1 行：这不是 JSON（"),
    "option of a kind": (
        lambda path: refuse_options(path, "a network", ["cutoff"]),
        "--cutoff 不起作用：",
    ),
    "no rows": (lambda path: rows(path, "text\tlabel\n"), "中没有数据行"),
    "rows in memory": (
        lambda _: ft.finetune("classification", "linear", ([1, 2], ["a"])),
        "有 2 个输入和 1 个标签",
    ),
    "unlabelled": (lambda _: ft.finetune("classification", "linear", []), "没有给出数据行"),
    "columns of a task": (
        lambda _: checked_columns({"text_b": "x"}, "classification", RowsConfig),
        "--text-b 对任务 classification 不起作用；它的列由 --text, --label 指定。",
    ),
    "task": (lambda _: task_named("clasification"), "没有这个任务。是不是 'classification'？"),
    "base": (lambda _: learner_class("runs/nothing"), "没有这个运行、文件夹或向量文件"),
    "recipe for a base": (lambda _: learner_class("bert"), "是配方，还没有学到任何东西；请先"),
    "recipe": (lambda _: Recipe.load("brt"), "没有配方 'brt'。是不是 'bert'"),
    "component": (
        lambda _: Recipe.load("bert", ["backbone.name=transformr"]),
        "[backbone] name = 'transformr'：没有这一个。是不是",
    ),
    "setting": (lambda _: chosen(rat=1), "[part] rat：没有这个设置。是不是 'rate'？"),
    "too large": (lambda _: chosen(rate=2), "[part] rate = 2：应当小于或等于 1。"),
    "too small": (lambda _: chosen(number=0), "[part] number = 0：应当大于 0。"),
    "no choice": (lambda _: chosen(kind="c"), "[part] kind = 'c'：应当是 'a' 或 'b'。"),
    "no number": (lambda _: chosen(number="x"), "[part] number = 'x'：应当是整数。"),
    "several kinds": (lambda _: chosen(both="x"), "应当是整数，或 'auto'。"),
    "either type": (lambda _: chosen(either="x"), "应当是整数，或数，或字典（键和值）。"),
    "rows of a task": (
        lambda path: objects(path, {"text_a": "x", "text_b": "y"}),
        "有两个文本的数据行属于任务 `matching`。",
    ),
    "or none": (lambda _: chosen(word=1), "应当是字符串，或 none。"),
    "budget": (lambda _: duration_seconds("soon"), "budget = 'soon'：请写成 90s、10m 或 1.5h"),
    "disk": (lambda path: fail(output_error(path, OSError(28, "full"))), "无法写入：磁盘已满"),
    "right": (lambda path: fail(output_error(path, OSError(13, "no"))), "无法写入：没有写入权限"),
    "files of others": (beside_others, "中有别的文件；请换一个新的或空的文件夹。"),
    "no run": (lambda path: load_vectors(path), "中没有"),
    "empty label": (
        lambda path: objects(path, {"text": "x", "label": ""}),
        "第 1 行：标签是空的；请标注这一行，或去掉它。",
    ),
    "fraction for a label": (
        lambda path: objects(path, {"text": "x", "label": 0.5}),
        "第 1 行：标签是连续的数 0.5；请给出文本、整数或布尔值。",
    ),
    "no task": (lambda path: load_task(vectors(path)), "没有学过任务；请给出"),
    "word": (lambda _: fail(UnknownWordError("shp", ["ship"])), "没有 'shp'。是不是 'ship'？"),
}  # fmt: skip


def fail(error: Exception) -> None:
    raise error


def words(folder: Path, content: str) -> None:
    (folder / "a.txt").write_text(content, encoding="utf-8")
    ft.pretrain("word2vec", folder / "a.txt", folder / "run", quiet=True)


def vectors(folder: Path) -> Path:
    path = folder / "v.txt"
    path.write_text("2 2\na 1 0\nb 0 1\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", MET)
def test_an_error_is_told_in_chinese(name: str, tmp_path: Path) -> None:
    meet, said = MET[name]
    with in_language("zh"), pytest.raises(ForetextError) as found:
        meet(tmp_path)
    sentence = str(found.value).replace(str(tmp_path), "")
    assert said in sentence
    assert not ENGLISH.search(KEPT.sub("", sentence)), sentence


@pytest.mark.parametrize(
    "meet",
    [
        lambda _: RowsConfig.checked({"text": 1, "label": "label"}, "rows"),
        lambda _: CorpusConfig.checked({"encoding": "utf-9"}, "corpus"),
        lambda path: objects(path, '"x"'),
    ],
)
def test_what_has_no_message_is_told_in_english_as_a_whole(meet: Meet, tmp_path: Path) -> None:
    found = []
    for chosen in LANGUAGES:
        with in_language(chosen), pytest.raises(ForetextError) as raised:
            meet(tmp_path)
        found.append(str(raised.value))
    assert found[0] == found[1]
    assert found[0].isascii()


FAULTS: dict[str, tuple[Any, Any]] = {
    "greater_than": (Annotated[int, Field(gt=3)], 1),
    "greater_than_equal": (Annotated[int, Field(ge=3)], 1),
    "less_than": (Annotated[int, Field(lt=3)], 5),
    "less_than_equal": (Annotated[int, Field(le=3)], 5),
    "literal_error": (Literal["a", "b"], 5),
    "int_type": (int, "x"),
    "float_type": (float, "x"),
    "string_type": (str, 1),
    "bool_type": (bool, 1),
    "list_type": (list[int], 1),
    "dict_type": (dict[str, int], 1),
    "finite_number": (Annotated[float, Field(allow_inf_nan=False)], float("inf")),
}


FLOATS: dict[str, tuple[Any, Any]] = {  # their bounds are whole, yet floats
    "greater_than": (Annotated[float, Field(gt=0)], -1.5),
    "greater_than_equal": (Annotated[float, Field(ge=0.5)], 0.25),
    "less_than": (Annotated[float, Field(lt=1048576)], 2e6 + 0.5),
    "less_than_equal": (Annotated[float, Field(le=1)], 1.5),
}


@pytest.mark.parametrize(("name", "fault"), [*FAULTS.items(), *FLOATS.items()])
def test_wrong_values_are_told_as_pydantic_does_in_english(
    name: str, fault: tuple[Any, Any]
) -> None:
    kind, value = fault
    with pytest.raises(ValidationError) as found:
        TypeAdapter(kind).validate_python(value, strict=True)
    (error,) = found.value.errors()
    assert error["type"] == name
    bounds = {key: f"{each:.9g}" for key, each in error.get("ctx", {}).items() if key != "expected"}
    said = messages_of("errors", "en")[f"value.{name}"]
    assert f"Input {said.format_map({**error.get('ctx', {}), **bounds})}" == error["msg"]
    One = type("One", (Config,), {"__annotations__": {"setting": kind}, "__module__": __name__})
    with in_language("en"), pytest.raises(SettingError) as english:
        One.checked({"setting": value}, "part")
    assert str(english.value) == f"[part] setting = {value!r}: {error['msg'][6:]}."
    with in_language("zh"), pytest.raises(SettingError) as chinese:
        One.checked({"setting": value}, "part")
    assert str(chinese.value).startswith(f"[part] setting = {value!r}：应当")
    assert ".0" not in str(chinese.value)


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".csv", "body,label\nx,y\n"),
        (".csv", "text,label\nx,y,z\n"),
        (".csv", "text,label\nx\n"),
        (".csv", 'text\n"x\n'),
        (".jsonl", "{x\n"),
        (".jsonl", "[1]\n"),
        (".jsonl", "1\n"),
        (".jsonl", '{"text": 1}\n'),
        (".jsonl", '{"body": "x"}\n'),
        (".jsonl", '{"text": "\\ud83d"}\n'),
        (".txt", "text\0text" * 9),
    ],
)
def test_the_name_of_a_file_stays_as_it_is(tmp_path: Path, suffix: str, content: str) -> None:
    name = f"St. Louis; A: none, 3 rows. Data{suffix}"
    with in_language("zh"), pytest.raises(ForetextError) as found:
        text(tmp_path, name, content)
    said = str(found.value)
    assert name in said
    assert "行" in said
    assert not ENGLISH.search(KEPT.sub("", said.replace(str(tmp_path / name), ""))), said


def test_places_in_memory_are_told_in_chinese() -> None:
    with in_language("zh"):
        with pytest.raises(ForetextError, match="内存中的第 1 行：没有列 'text'"):
            ft.Word2Vec().fit([{"body": "x"}])
        with pytest.raises(ForetextError, match="内存中的表：没有列 'text'"):
            ft.Word2Vec().fit({"body": ["x"]})
