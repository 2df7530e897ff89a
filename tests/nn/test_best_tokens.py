"""The best tokens and log-sums are PyTorch's; of equal logits the lower id comes first."""

from __future__ import annotations

import pytest
import torch

from foretext.nn.best_tokens import best_tokens


@pytest.mark.parametrize("num_logits", [9, 64, 70, 1000])
@pytest.mark.parametrize("num", [1, 2, 8])
def test_it_is_topk_and_logsumexp(num_logits: int, num: int) -> None:
    logits = torch.randn(5, num_logits, generator=torch.Generator().manual_seed(0)) * 9
    logits[1, 3] = -1e30
    values, ids, log_sums = best_tokens(logits, num)
    expected = logits.topk(num)
    assert torch.equal(values, expected.values)
    assert torch.equal(ids, expected.indices)
    torch.testing.assert_close(log_sums, logits.logsumexp(-1))


def test_of_equal_logits_the_lower_id_comes_first() -> None:
    logits = torch.zeros(2, 200)
    logits[1, [150, 20, 90]] = 1.0
    _, ids, _ = best_tokens(logits, 4)
    assert ids.tolist() == [[0, 1, 2, 3], [20, 90, 150, 0]]


def test_rows_need_not_stand_together() -> None:
    logits = torch.randn(6, 100)[:, :70]
    assert torch.equal(best_tokens(logits, 3)[1], logits.topk(3).indices)
