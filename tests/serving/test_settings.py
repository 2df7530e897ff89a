"""API keys: where they come from, and which header brings one."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import SettingError
from foretext.serving.settings import ENVIRONMENT, Keys, ServingConfig


def test_each_key_of_file_and_environment_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# the team\nfirst-key\n\n  second.key  \n")
    keys = Keys.read(file, {ENVIRONMENT: "third\nfourth"})
    for key in (b"first-key", b"second.key", b"third", b"fourth"):
        assert keys.allow(b"Bearer " + key)
    assert keys.allow(b"bearer first-key")


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"first-key",
        b"Basic first-key",
        b"Bearer first-ke",
        b"Bearer \xff",
        b"Bearer first-key2",
        b"Bearer first-key\nsecond",
    ],
)
def test_nothing_else_is_a_key(header: bytes) -> None:
    assert not Keys(["first-key", "second"]).allow(header)


def test_without_keys_there_is_nothing_to_check() -> None:
    assert not Keys.read(None, {})
    assert not Keys.read(None, {ENVIRONMENT: "\n"})
    assert Keys(["one"])


@pytest.mark.parametrize("content", ["", "# only a comment\n"])
def test_a_file_without_a_key_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "keys"
    file.write_text(content)
    with pytest.raises(SettingError, match="there is no key"):
        Keys.read(file, {})


def test_a_line_that_no_header_carries_is_named_and_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("good\nwith a blank\n")
    with pytest.raises(SettingError, match="keys:2: a key has letters") as error:
        Keys.read(file, {})
    assert "blank" not in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="nowhere is missing"):
        Keys.read(tmp_path / "nowhere", {})


def test_keys_are_not_kept() -> None:
    assert "secret-key" not in repr(vars(Keys(["secret-key"])))


@pytest.mark.parametrize(
    "sizes", [{"max_body": "1GB"}, {"max_body": "2MB", "max_bodies": "1900kB"}]
)
def test_a_body_larger_than_all_bodies_is_refused(sizes: dict[str, str]) -> None:
    with pytest.raises(SettingError, match=r"max_body = \S+ is more than max_bodies = \S+"):
        ServingConfig.checked(sizes, "serve")
