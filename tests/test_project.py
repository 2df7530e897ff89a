"""What surrounds the package agrees with it: versions, workflows, templates, and the release."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import foretext as ft
from tools.oldest import pinned, requirements
from tools.release import ReleaseError, agreed_version, check_files, expected_in_wheel

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))


def read_yaml(text: str) -> Any:
    return yaml.safe_load(text)


def name_of(path: Path) -> str:
    return path.name


def makefile() -> str:
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def test_versions_agree() -> None:
    assert agreed_version(ROOT) == ft.__version__


def test_other_versions_are_no_release(tmp_path: Path) -> None:
    (tmp_path / "src" / "foretext").mkdir(parents=True)
    (tmp_path / "src" / "foretext" / "_version.py").write_text('__version__ = "0.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0 - Unreleased\n")
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 0.2.0\n")
    with pytest.raises(ReleaseError, match=r"differ: .*_version.py says 0.2.0, CHANGELOG.md says"):
        agreed_version(tmp_path)


def test_a_wheel_holds_the_package_and_nothing_else() -> None:
    tracked = {"README.md", "src/foretext/py.typed", "tests/base/test_files.py"}
    expected = expected_in_wheel(tracked, "0.1.0")
    assert "foretext/py.typed" in expected
    assert "foretext-0.1.0.dist-info/licenses/LICENSE" in expected
    check_files("a.whl", expected, expected)
    with pytest.raises(ReleaseError, match=r"a.whl: tests/x.py is too much, foretext/py.typed is"):
        check_files("a.whl", expected - {"foretext/py.typed"} | {"tests/x.py"}, expected)


def test_all_that_users_install_has_a_lower_bound() -> None:
    oldest = list(pinned(requirements(PROJECT)))
    assert any(line.startswith("numpy==") for line in oldest)
    assert any(line.startswith("torch==") for line in oldest)
    assert not any("pytest" in line for line in oldest)


def test_all_dependencies_are_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    names = {plain(line.partition("==")[0]) for line in lines if not line.startswith("#")}
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    asked = {plain(re.split(r"[>=\[]", line)[0]) for line in [*PROJECT["dependencies"], *extras]}
    assert asked - names == {"foretext"}


def plain(name: str) -> str:
    return name.lower().replace("_", "-")


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_workflows_run_what_there_is(path: Path) -> None:
    jobs = read_yaml(path.read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    for target in re.findall(r"\bmake (\S+)", "\n".join(commands)):
        assert f"\n{target}:" in makefile()
    for name in re.findall(r"python -m tools\.(\w+)", "\n".join(commands)):
        assert (ROOT / "tools" / f"{name}.py").is_file()


def test_workflows_cover_each_python_that_is_named() -> None:
    matrix = read_yaml(WORKFLOWS[0].read_text(encoding="utf-8"))["jobs"]["test"]["strategy"][
        "matrix"
    ]
    assert [
        line.rpartition(" ")[2] for line in PROJECT["classifiers"] if ":: 3." in line
    ] == matrix["python"]


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_templates_have_a_head(path: Path) -> None:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    assert {"name", "about"} <= read_yaml(head).keys()
    assert body.strip()


def test_the_citation_names_project_and_licence() -> None:
    citation = read_yaml((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["title"] == PROJECT["name"]
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]


def test_make_knows_its_targets() -> None:
    phony = re.search(r"^\.PHONY: (.+)$", makefile(), re.M)
    assert phony is not None
    targets = set(re.findall(r"^([a-z-]+):", makefile(), re.M))
    assert targets == set(phony[1].split())
