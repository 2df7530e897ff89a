from __future__ import annotations

import time

from tests.serving.conftest import Server
from tests.serving.models import NAMES


def test_models_are_listed_with_what_they_do(server: Server) -> None:
    answer = server.client.get("/v1/models").json()
    assert answer["object"] == "list"
    assert [model["id"] for model in answer["data"]] == list(NAMES)
    for model in answer["data"]:
        assert model["object"] == "model"
        assert model["owned_by"] == "foretext"
        assert 0 <= time.time() - model["created"] < 3600
        assert model == server.client.get(f"/v1/models/{model['id']}").json()
    by_name = {model["id"]: model for model in answer["data"]}
    assert by_name["causal"]["max_model_len"] == server.models["causal"].learned_length == 32
    assert by_name["words"]["max_model_len"] is None
    assert {"generate", "likelihood", "embed"} <= set(by_name["causal"]["abilities"])


def test_an_unknown_model_is_not_found(server: Server) -> None:
    for name in ("nobody", "some/body"):
        answer = server.client.get(f"/v1/models/{name}")
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "model_not_found"


def test_a_name_may_have_a_slash(serve) -> None:  # type: ignore[no-untyped-def]
    from tests.serving.models import word_vectors

    server = serve({"runs/words": word_vectors()})
    assert server.client.get("/v1/models/runs/words").json()["id"] == "runs/words"
