from __future__ import annotations

from foretext.report.settings import setting_sections


def test_numbers_are_written_as_a_user_writes_them() -> None:
    settings = {"vectors": {"epochs": 5.0, "alpha": 0.025, "eps": 1e-06, "seed": 1, "loss": "ns"}}
    [(section, values)] = setting_sections(settings)
    assert section == "vectors"
    assert [value for _, value in values] == ["5", "0.025", "1e-06", 1, "ns"]


def test_settings_without_a_section_come_first() -> None:
    sections = setting_sections({"training": {"steps": 3}, "seed": 2})
    assert sections == [("", [("seed", 2)]), ("training", [("steps", 3)])]
