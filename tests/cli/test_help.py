from __future__ import annotations

import ast
import re
from inspect import cleandoc
from pathlib import Path

import pytest
from typer.main import get_command

import foretext
from foretext.base.text_lines import cells
from foretext.cli.app import app
from foretext.messages import in_language, messages_of
from foretext.messages.help import help_text
from tests.cli.conftest import Command

VERBS = [command.name or command.callback.__name__ for command in app.registered_commands]  # type: ignore[union-attr]
TYPES = re.compile(r"<(str|int|float|bool|path|list|uuid|datetime)\b", re.IGNORECASE)


def test_every_verb_has_a_line_of_its_own(command: Command) -> None:
    verbs = command("--help").out.partition("Commands:")[2]
    assert [line.split()[0] for line in verbs.splitlines() if line.strip()] == VERBS
    assert "..." not in verbs


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("verb", [None, *VERBS])
def test_help_fits_a_terminal_and_names_no_types(verb: str | None, command: Command) -> None:
    shown = command(*([verb] if verb else []), "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    assert not TYPES.search(shown)


def test_help_keeps_brackets(command: Command) -> None:
    assert "A text with [MASK] in it." in command("fill", "--help").out
    assert "Predict the tokens at [MASK]" in command("fill", "--help").out


OF_OTHERS = {
    "--max-restarts",
    "--nproc-per-node",
    "--long",
    "--directory",
    "--embeddings",
    "--ignore-scripts",
}  # torchrun, zstd, Python, llama.cpp, npm


def options_in_sentences() -> set[str]:
    """Every option that a text of the package names, docstrings apart."""
    found = set()
    for path in Path(foretext.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in docstrings:
                found |= set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", str(node.value)))
    return found


@pytest.mark.slow
def test_sentences_name_only_options_that_there_are() -> None:
    group = get_command(app)
    known = {"--help", *(option for parameter in group.params for option in parameter.opts)}
    for verb in group.commands.values():  # type: ignore[attr-defined]
        for parameter in verb.params:
            known |= {*parameter.opts, *parameter.secondary_opts}
    assert options_in_sentences() - OF_OTHERS <= known


def help_paragraphs() -> dict[str, str]:
    """Each paragraph of the help of verbs and options, with the first verb that has it."""
    group = get_command(app)
    context = group.make_context("foretext", [], resilient_parsing=True)
    texts = [("foretext", group.help), ("--help", group.get_help_option(context).help)]  # type: ignore[union-attr]
    texts += [(parameter.name, parameter.help) for parameter in group.params]  # type: ignore[attr-defined]
    for name, verb in group.commands.items():  # type: ignore[attr-defined]
        texts.append((name, verb.help))
        texts += [(f"{name} {parameter.name}", parameter.help) for parameter in verb.params]
    found: dict[str, str] = {}
    for name, text in texts:
        assert text, f"{name} has no help"
        for paragraph in cleandoc(text).split("\n\n"):
            found.setdefault(" ".join(paragraph.split()), str(name))
    return found


def test_all_help_is_translated() -> None:
    """A verb or option that is new, or whose English has changed, needs its Chinese, too."""
    texts, chinese = help_paragraphs(), messages_of("help", "zh")
    assert {text: name for text, name in texts.items() if text not in chinese} == {}
    assert chinese.keys() - texts.keys() == set()


NAMES = re.compile(r"--[a-z][a-z-]*|`[^`]+`|module:Class|\b[A-Z]{3,}\b|\d+")
DIFFERENT = {"PEM", "VNNI", "HTTP", "JSON", "CPU", "HOST", "PORT"}


def test_chinese_help_names_the_same() -> None:
    for text, chinese in messages_of("help", "zh").items():
        assert re.search(r"[\u4e00-\u9fff]", chinese), text
        assert {*NAMES.findall(text)} - DIFFERENT <= {*NAMES.findall(chinese)}, text


KEPT = re.compile(r"`[^`]*`|[\w.:]+(?:[,、|][\w.:]+)+|^ {2}\S.*? {2,}|<[^>]*>|用法：.*")
ENGLISH = re.compile(r"(?:[A-Za-z]+ ){2,}[A-Za-z]+")


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("verb", [None, *VERBS])
def test_help_in_chinese(verb: str | None, command: Command) -> None:
    shown = command(*([verb] if verb else []), "--help", "--lang", "zh").out
    assert shown.startswith("用法：foretext ")
    assert "\n选项：\n" in shown
    for line in shown.splitlines():
        assert cells(line) <= 80
        assert not ENGLISH.search(KEPT.sub("", line)), line


def test_a_text_without_a_translation_stays_as_it_is() -> None:
    with in_language("zh"):
        assert help_text("Show the version.\n\nOf\nothers.") == "显示版本。\n\nOf others."
    with in_language("en"):
        assert help_text("Show the version.") == "Show the version."


def test_no_arguments_at_all_show_the_help(command: Command) -> None:
    done = command()
    assert (done.code, done.out) == (2, "")
    assert done.err == command("--help").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("exprot", "没有命令 'exprot'（是不是 'export'？）；见 `foretext --help`。"),
        ("--lang zh", "缺少命令；见 `foretext --help`。"),
        ("export", "缺少参数 'RUN'；见 `foretext export --help`。"),
        ("export run", "缺少选项 '--output' / '-o'；见 `foretext export --help`。"),
        ("export run --wrong", "没有选项 --wrong（相近的选项：--json, --lang）；见"),
        ("export run --pag", "没有选项 --pag（相近的选项："),
        ("export run -o", "选项 '-o' 缺少值。"),
        ("export run --page=x", "选项 '--page' 不带值。"),
        ("export run other -o x", "有多余的参数（other）；见"),
        ("export run -o x --to pt", "'--to' 的值无效：'pt' 不是 'onnx', "),
        ("export run -o x --limit 1", "'--limit' 的值无效：应当大于或等于 2；见"),
        ("export run -o x --limit ten", "'--limit' 的值无效：应当是整数；见"),
        ("predict run --threshold 2", "'--threshold' 的值无效：应当小于或等于 1；见"),
        ("predict run --threshold high", "'--threshold' 的值无效：应当是数；见"),
    ],
)
def test_wrong_arguments_are_told_in_chinese(arguments: str, said: str, command: Command) -> None:
    done = command("--lang", "zh", *arguments.split())
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
