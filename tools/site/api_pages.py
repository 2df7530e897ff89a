"""Pages of the Python interface: every public name, from its docstring, by room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

from tools.site.languages import ENGLISH, Language

__all__ = ["api_pages", "room_of", "with_docstrings"]

FOLDER = "reference/api"
PAGES = {  # page to its titles and its rooms
    "learn": (
        ("Learn", "学习"),
        ("pretraining", "estimators", "finetuning", "comparison", "recipe"),
    ),
    "models": (
        ("Models in use", "使用模型"),
        ("artifact", "vectors", "language_model", "tasks", "search", "exporting"),
    ),
    "text": (("Text", "文本"), ("corpus", "cleaning", "suggestion", "report", "base")),
}
ROOMS = {
    "artifact": ("Open what was learned", "打开学到的模型"),
    "backbones": ("Backbones", "主干网络"),
    "base": ("Settings, errors and trust", "设置、错误与信任"),
    "cleaning": ("Clean a corpus", "清洗语料"),
    "comparison": ("Compare", "比较"),
    "corpus": ("Corpus", "语料"),
    "data": ("Examples and rows", "样本与数据行"),
    "estimators": ("Word vectors, document vectors, codes", "词向量、文档向量、编码"),
    "exporting": ("Export", "导出"),
    "finetuning": ("Fine-tune", "微调"),
    "heads": ("Heads", "任务头"),
    "interop": ("Families of model folders", "模型文件夹的家族"),
    "language_model": ("Language models", "语言模型"),
    "metrics": ("Metrics", "评价指标"),
    "nn": ("Parts of networks", "网络部件"),
    "objectives": ("Objectives", "预训练目标"),
    "pretraining": ("Pretrain and distil", "预训练与蒸馏"),
    "recipe": ("Recipes", "配方"),
    "report": ("What a person is shown", "展示给人的内容"),
    "search": ("Search", "检索"),
    "suggestion": ("Which texts to label next", "接下来标注哪些文本"),
    "tasks": ("Tasks and their models", "任务及其模型"),
    "tokenizers": ("Tokenizers", "分词器"),
    "vectors": ("Word vectors and document vectors", "词向量与文档向量"),
}
NOTE = "以下说明由代码中的文档字符串生成，只有英文。"
CONTENT = ("On this page", "目录")  # as the theme says
EXTEND = ("Write your own parts", "编写自己的组件")
TITLES = [*ROOMS.values(), *(titles for titles, _ in PAGES.values()), EXTEND, CONTENT]
ARTICLE = re.compile(r"<article .*?</article>", re.S)
CONTENTS = re.compile(
    r'<div class="md-sidebar md-sidebar--secondary".*?(?=<div class="md-content")', re.S
)
PLAIN = {  # values and types of `foretext.extend` that belong to no class: their room
    "FAMILIES": "interop",
    "Feature": "tasks",
    "Input": "data",
    "Record": "tasks",
    "RowSource": "data",
}


def api_pages(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page; the first lists all names."""
    names = public_names("foretext")
    parts = [name for name in public_names("foretext.extend") if name not in names]
    pages = [
        (page, language.say(*titles), {room: _in(names, "foretext", room) for room in rooms})
        for page, (titles, rooms) in PAGES.items()
    ]
    rooms = {room: _in(parts, "foretext.extend", room) for room in ROOMS}
    pages.append(("extend", language.say(*EXTEND), rooms))
    yield f"{FOLDER}.md", _index(pages, language)
    for page, title, found in pages:
        module = "foretext.extend" if page == "extend" else "foretext"
        yield f"{FOLDER}/{page}.md", _page(title, module, found, language)


def with_docstrings(chinese: str, english: str) -> str:
    """Return a Chinese page of the interface with what its English page says.

    Docstrings are in English, and rendering them takes longer than all else: once is enough.

    Args:
        chinese: the HTML of the page with its headings alone.
        english: that of the same page with docstrings.
    """
    for part in (ARTICLE, CONTENTS):
        found = part.search(english)
        assert found is not None
        said = found[0]
        for here, there in TITLES:
            said = re.sub(rf"(>\s*){re.escape(here)}(?=\s*<)", rf"\g<1>{there}", said)
        said = said.replace("</h1>", f"</h1>\n<p>{NOTE}</p>")
        chinese = part.sub(lambda _, said=said: said, chinese, count=1)  # type: ignore[misc]
    return chinese


def public_names(module: str) -> list[str]:
    """Return the names of a module that a reader may use."""
    return [name for name in import_module(module).__all__ if not name.startswith("__")]


def room_of(module: str, name: str) -> str:
    """Return the room whose a public name is."""
    if name in PLAIN:
        return PLAIN[name]
    home: str = getattr(import_module(module), name).__module__
    return home.split(".")[1]


def _in(names: Iterable[str], module: str, room: str) -> list[str]:
    return [name for name in names if room_of(module, name) == room]


def _index(pages: Iterable[tuple[str, str, Mapping[str, list[str]]]], language: Language) -> str:
    parts = [
        "# " + language.say("Python interface", "Python 接口"),
        language.say(
            "Everything that `import foretext as ft` offers. What your own objectives, backbones, "
            "tasks and model families need, `foretext.extend` has.",
            "`import foretext as ft` 提供的全部名称；编写自己的目标、主干、任务和模型家族时"
            "需要的名称在 `foretext.extend` 里。说明由代码中的英文文档字符串生成。",
        ),
    ]
    for page, title, rooms in pages:
        parts.append(f"## [{title}](api/{page}.md)")
        rows = [
            f"- {language.say(*ROOMS[room])}: " + ", ".join(_link(page, name) for name in found)
            for room, found in rooms.items()
            if found
        ]
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _link(page: str, name: str) -> str:
    module = "foretext.extend" if page == "extend" else "foretext"
    return f"[`{name}`](api/{page}.md#{module}.{name})"


def _page(title: str, module: str, rooms: Mapping[str, list[str]], language: Language) -> str:
    parts = [f"# {title}"]
    for room, names in rooms.items():
        if names:
            anchor = re.sub(r"[^\w -]", "", ROOMS[room][0]).lower().replace(" ", "-")
            parts.append(f"## {language.say(*ROOMS[room])} {{#{anchor}}}")
            if language is ENGLISH:
                parts += [f"::: {module}.{name}" for name in names]
    return "\n\n".join(parts) + "\n"
