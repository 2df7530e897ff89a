"""What there is of memory, and what a training takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from foretext.base import runtime, system
from foretext.pretraining.plan.memory import free_bytes, training_bytes

CPU = torch.device("cpu")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 2 GB free, in no container."""
    (tmp_path / "meminfo").write_text("MemTotal:  8000000 kB\nMemAvailable:  2000000 kB\n")
    monkeypatch.setattr(system, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(runtime, "CGROUP_LIMIT", tmp_path / "memory.max")
    monkeypatch.setattr(runtime, "CGROUP_USED", tmp_path / "memory.current")
    monkeypatch.setattr(runtime, "CGROUP_PARTS", tmp_path / "memory.stat")
    return tmp_path


def test_the_machine_says(machine: Path) -> None:
    assert free_bytes(CPU) == 2_048_000_000


@pytest.mark.parametrize(("limit", "free"), [("1500", 500), ("900", 0), ("max", 2_048_000_000)])
def test_a_container_may_have_less(machine: Path, limit: str, free: int) -> None:
    (machine / "memory.max").write_text(f"{limit}\n")
    (machine / "memory.current").write_text("1000\n")
    assert free_bytes(CPU) == free


def test_cached_files_of_a_container_are_free(machine: Path) -> None:
    (machine / "memory.max").write_text("1500\n")
    (machine / "memory.current").write_text("1000\n")
    (machine / "memory.stat").write_text("anon 200\ninactive_file 600\nactive_file 100\n")
    assert free_bytes(CPU) == 1200


@pytest.mark.parametrize("odd", ["", "max", "\n", "lots", "-1", "1e9", "\x00", "9" * 5000])
def test_odd_answers_are_none(machine: Path, odd: str) -> None:
    for name in ("memory.max", "memory.current"):
        (machine / "memory.max").write_text("1500\n")
        (machine / "memory.current").write_text("1000\n")
        (machine / name).write_text(odd)
        assert free_bytes(CPU) == 2_048_000_000
    for line in (f"MemAvailable: {odd} kB", f"MemAvailable:{odd}", "MemAvailable", odd):
        (machine / "meminfo").write_text(f"{line}\n")
        assert free_bytes(CPU) is None
    (machine / "meminfo").write_bytes(b"MemAvailable:  2000000 kB\n\xff\n")
    assert free_bytes(CPU) == 2_048_000_000


def test_what_cannot_be_read_is_none(machine: Path) -> None:
    for name in ("meminfo", "memory.max", "memory.current"):
        (machine / name).unlink(missing_ok=True)
        (machine / name).mkdir()
    assert free_bytes(CPU) is None


def test_elsewhere_nobody_knows(machine: Path) -> None:
    (machine / "meminfo").unlink()
    assert free_bytes(CPU) is None


def test_wider_numbers_and_larger_batches_take_more() -> None:
    small = training_bytes(5_000_000, 4, 256, 2048, torch.bfloat16)
    wide = training_bytes(5_000_000, 4, 256, 2048, torch.float32)
    assert wide - small == 2048 * 256 * 5 * 34
    assert training_bytes(5_000_000, 4, 256, 4096, torch.bfloat16) == wide
    assert training_bytes(6_000_000, 4, 256, 2048, torch.bfloat16) - small == 20_000_000


def test_processes_on_one_machine_have_a_part_each(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    assert free_bytes(CPU) == 512_000_000


def test_processes_that_share_take_less_each() -> None:
    """4 + 20 / N bytes a weight (docs/decisions/0019), and never more than one alone."""

    def weight_bytes(sharers: int, dtype: torch.dtype = torch.bfloat16) -> int:
        sizes = [training_bytes(n, 4, 256, 2048, dtype, sharers=sharers) for n in (0, 1_000_000)]
        return sizes[1] - sizes[0]

    assert weight_bytes(1) == 20_000_000
    assert weight_bytes(2) == 14_000_000
    assert weight_bytes(8) == 6_500_000
    assert weight_bytes(8, torch.float32) == 10_500_000
