"""No folder runs code of its own, whatever in it names code and whoever opens it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from foretext.base.errors import ForetextError, UntrustedError
from tests.audit.folders import copied
from tests.audit.hostile import ATTACKS, MODULE, Attack, Opener, openers, write_module
from tests.contracts.covering import covering


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What the module writes if it is imported, though nobody has said to trust it."""
    place = tmp_path / "marker"
    write_module(tmp_path, place)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("foretext.base.registry._trusted", set())
    yield place
    sys.modules.pop(MODULE, None)


def named(attack: Attack) -> str:
    return f"{attack.kind}: {attack.name}"


def parts_of(case: tuple[Attack, Opener]) -> set[tuple[str, str]]:
    """The attack, and the opener with what kind of folder was attacked."""
    attack, opener = case
    return {("", named(attack)), (attack.kind, opener.name)}


ALL = [(attack, each) for attack in ATTACKS for each in openers(attack)]
TRIED = ALL if os.environ.get("FORETEXT_AUDIT_WHOLE") else covering(ALL, parts_of)  # `make audit`


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("attack", ATTACKS, ids=named)
def test_nothing_runs(attack: Attack, marker: Path, tmp_path: Path) -> None:
    """An opener answers, or says in a sentence why it does not; each meets each kind of folder."""
    for opener in [opener for tried, opener in TRIED if tried is attack]:
        place = tmp_path / opener.name
        place.mkdir()
        folder = copied(attack.kind, place)
        attack.change(folder)
        with suppress(ForetextError):
            opener.open(folder, place)
        assert not marker.exists(), f"{opener.name} ran the code that {named(attack)} names"
        shutil.rmtree(place)


@pytest.mark.quick_cases(2)  # the others train a BERT
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("autoencoder", "its network"),
        ("classification", "[task]"),
        ("bert", "own [backbone]"),
        ("bert", "[objective]"),
        ("task of bert", "own [task]"),
    ],
)
def test_who_is_to_be_trusted_is_said(kind: str, name: str, marker: Path, tmp_path: Path) -> None:
    import foretext as ft

    attack = next(each for each in ATTACKS if (each.kind, each.name) == (kind, name))
    folder = copied(kind, tmp_path)
    attack.change(folder)
    with pytest.raises(UntrustedError, match=rf"config\.json.+ --trust {MODULE} "):
        ft.load(folder)
    assert not marker.exists()
