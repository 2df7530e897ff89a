"""Torch's own threads are found where torch says that it has them."""

from __future__ import annotations

import sys

import pytest
import torch

from foretext.kernels.team import ALONE
from foretext.nn import team as module
from foretext.nn.team import torch_team


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what is loaded")
def test_the_team_has_torchs_size() -> None:
    if not torch.backends.openmp.is_available():
        pytest.skip("torch was built without OpenMP")
    found = torch_team()
    assert found.fork
    assert found.num_threads == torch.get_num_threads()


def test_without_a_library_one_thread_works_alone(monkeypatch) -> None:
    monkeypatch.setattr(module, "_openmp_library", lambda: None)
    module._fork_address.cache_clear()
    assert torch_team() == ALONE
    module._fork_address.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what is loaded")
def test_another_packages_library_is_not_taken_for_torchs() -> None:
    import sklearn.linear_model  # noqa: F401  brings an OpenMP library of its own

    found = module._openmp_library()
    assert found is None or "torch" in str(found)
    if torch.backends.openmp.is_available():
        module._fork_address.cache_clear()
        assert torch_team().fork
