from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foretext.base.errors import OutputError
from foretext.cleaning.equal_keys import equal_keys

KEYS = st.lists(st.sampled_from([0, 1, 5, 1 << 61, (1 << 63) + 9, (1 << 64) - 1]), max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keys=KEYS, most=st.integers(1, 50))
def test_groups_are_those_of_a_table(tmp_path: Path, keys: list[int], most: int) -> None:
    path = tmp_path / "keys.bin"
    path.write_bytes(np.array(keys, np.uint64).tobytes())
    places = defaultdict(set)
    for place, key in enumerate(keys):
        places[key].add(place)
    expected = {frozenset(group) for group in places.values() if len(group) > 1}
    found = []
    for part in equal_keys(path, len(keys), most):
        groups = [frozenset(part.places[part.groups == n].tolist()) for n in range(part.num_groups)]
        assert sum(map(len, groups)) == len(part.places)
        found += groups
    assert set(found) == expected
    assert len(found) == len(expected)


def test_a_file_that_is_cut_off_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "keys.bin").write_bytes(bytes(8))
    with pytest.raises(OutputError, match=r"keys\.bin is damaged: it ends too early"):
        next(equal_keys(tmp_path / "keys.bin", 2))
