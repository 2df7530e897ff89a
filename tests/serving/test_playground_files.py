"""The files of the playground: whole, in two languages, from nowhere else, served with types."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path, PurePosixPath

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import foretext.serving
from foretext.serving.routes.pages import TYPES, page_files, router

FOLDER = Path(foretext.serving.__file__).parent / "playground"
NAMESPACE = "http://www.w3.org/2000/svg"
LANGUAGES = ("en", "zh")
NAMED = r'(?:src|href)="([^"#]+)"'
BEGUN = {"main.js", "reference/main.js"}  # by a page; all other scripts are imported
SCRIPTS = sorted(name for name in page_files() if name.endswith(".js"))
PAGES = sorted(name for name in page_files() if name.endswith(".html"))


@cache
def texts(language: str) -> dict[str, str]:
    """The texts of a language by key, of all its files."""
    found: dict[str, str] = {}
    for name in SCRIPTS:
        if re.fullmatch(rf"words.*\.{language}\.js", name):
            body = content(name).removeprefix("export default ").rstrip().rstrip(";")
            added = json.loads(re.sub(r",\s*}$", "}", body))  # a comma may end the last text
            assert not found.keys() & added.keys()
            found |= added
    return found


def content(name: str) -> str:
    return page_files()[name].content.decode()


def imports(name: str) -> set[str]:
    """The files that a script imports, by their path in the folder."""
    places = re.findall(r'^(?:import|export)\s[^;]*?from "([^"]+)";', content(name), re.M)
    folder = PurePosixPath(name).parent
    return {(FOLDER / folder / place).resolve().relative_to(FOLDER).as_posix() for place in places}


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    app.include_router(router)
    return TestClient(app)


# Texts


def test_both_languages_have_every_text() -> None:
    assert texts("en").keys() == texts("zh").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_has_blanks_around_it(language: str) -> None:
    for key, text in texts(language).items():
        assert text == text.strip() != "", key


def test_both_languages_put_the_same_values_into_a_text() -> None:
    def values(text: str) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", text))

    for key, text in texts("en").items():
        assert values(text) == values(texts("zh")[key]), key


@pytest.mark.parametrize("name", [*SCRIPTS, "index.html"])
def test_every_key_that_a_file_names_has_a_text(name: str) -> None:
    named = re.findall(r'\bt\(\s*"([^"]+)"|data-(?:text|label)="([^"]+)"', content(name))
    for key in map("".join, named):
        assert key in texts("en"), key


def test_every_text_is_used() -> None:
    code = "".join(content(name) for name in page_files() if "words." not in name)
    actions = [PurePosixPath(name).stem for name in SCRIPTS if name.startswith("actions/")]
    built = (
        "error.",
        "explain.",
        "fact.",
        "field.",
        "kind.",
        *(f"{action}." for action in actions),
    )
    for key in texts("en"):
        assert f'"{key}"' in code or key.startswith(built), key


def test_every_action_has_a_row_a_title_and_a_hint() -> None:
    files = {name for name in SCRIPTS if name.startswith("actions/")} - {"actions/index.js"}
    assert {name for name in imports("actions/index.js") if name.startswith("actions/")} == files
    (row,) = re.findall(r"export const actions = \[([^\]]+)\]", content("actions/index.js"))
    assert len(re.findall(r"\w+", row)) == len(files)
    for name in files:
        (action,) = re.findall(r'^  name: "([a-z_]+)",$', content(name), re.M)
        assert {f"{action}.title", f"{action}.hint"} <= texts("en").keys()


# What the page loads


@pytest.mark.parametrize("name", sorted(page_files()))
def test_no_file_refers_to_elsewhere(name: str) -> None:
    assert "//" not in re.sub(r"(^|\s)//.*|/\*.*", "", content(name).replace(NAMESPACE, ""))


def loaded_by(page: str) -> set[str]:
    """The files of the folder that a page names."""
    named = re.findall(r'(?:src|href)="playground/([^"#]+)"', content(page))
    assert set(named) <= page_files().keys()
    return set(named)


def test_every_file_is_loaded_and_every_import_is_a_file() -> None:
    imported = set().union(*map(imports, SCRIPTS), *map(loaded_by, PAGES))
    assert imported | set(PAGES) == page_files().keys()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_nothing_from_the_root_of_the_server(name: str) -> None:
    assert not re.findall(r'(?:src|href)="/', content(name))


@pytest.mark.parametrize("name", sorted(page_files()))
def test_nothing_that_its_policy_forbids_is_used(name: str) -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|\beval\b|new Function", content(name)
    )
    if name.endswith(".html"):
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]+\ssrc=)", content(name))


# How it is served


def test_the_page_may_load_only_from_here(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.text == content("index.html")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'self';")


@pytest.mark.parametrize("name", sorted(page_files()))
def test_a_file_has_its_type_and_is_sent_once(name: str, client: TestClient) -> None:
    answer = client.get(f"/playground/{name}")
    assert answer.content == (FOLDER / name).read_bytes()
    assert answer.headers["content-type"] == TYPES[PurePosixPath(name).suffix]
    assert answer.headers["x-content-type-options"] == "nosniff"
    again = client.get(f"/playground/{name}", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    changed = client.get(f"/playground/{name}", headers={"If-None-Match": '"another"'})
    assert (changed.status_code, changed.content) == (200, answer.content)


@pytest.mark.parametrize(
    "path",
    ["", "missing.js", "../app.py", "..%2Fapp.py", "%2e%2e/app.py", "actions", "//etc/passwd"],
)
def test_only_files_of_the_page_are_served(path: str, client: TestClient) -> None:
    assert client.get(f"/playground/{path}").status_code == 404


def test_a_file_of_another_kind_is_not_served() -> None:
    assert {PurePosixPath(name).suffix for name in page_files()} == set(TYPES)


def test_the_wheel_has_every_file() -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    root = Path(__file__).parents[2]
    included = wheel.WheelBuilder(str(root)).recurse_included_files()
    packed = {file.distribution_path for file in included}
    assert {f"foretext/serving/playground/{name}" for name in page_files()} <= packed
