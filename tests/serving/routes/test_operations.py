"""Health, facts and metrics of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prometheus_client.parser import text_string_to_metric_families

from tests.serving.conftest import Server
from tests.serving.models import word_vectors


def test_health_is_ok_with_models_and_503_without(
    server: Server, serve: Callable[..., Server]
) -> None:
    for path in ("/health", "/ping"):
        assert server.client.get(path).status_code == 200
    empty = serve({})
    for path in ("/health", "/ping"):
        loading = empty.client.get(path)
        assert loading.status_code == 503
        assert loading.headers["retry-after"] == "1"


def test_health_is_503_when_nothing_computes_any_more(serve: Callable[..., Server]) -> None:
    server = serve({"words": word_vectors()})
    asyncio.run(server.app.state.service.scheduler.stop())
    dead = server.client.get("/health")
    assert dead.status_code == 503
    assert dead.json()["error"].startswith("The thread that computes has ended")


def test_info_names_all_models_and_what_known_clients_read(server: Server) -> None:
    info = server.client.get("/info").json()
    assert [model["name"] for model in info["models"]] == list(server.models)
    assert info["model_id"] == "words"
    assert {"model_type", "max_input_length", "max_client_batch_size", "version"} <= set(info)


def test_metrics_count_requests_batches_and_tokens(serve: Callable[..., Server]) -> None:
    server = serve({"words": word_vectors()})
    server.client.post("/neighbors", json={"words": ["ship", "king"]})
    server.client.post("/neighbors", json={"words": ["ship"]})
    server.client.post("/neighbors", json={})
    server.client.get("/no-such-route")
    found = _samples(server)
    assert found["te_request_count", ("method", "batch")] == 1
    assert found["te_request_count", ("method", "single")] == 2
    assert found["te_request_success", ("method", "single")] == 1
    assert found["te_request_failure", ("err", "validation")] == 1
    assert found["foretext_inputs_total", ("ability", "neighbors"), ("model", "words")] == 3
    assert found["te_batch_next_size_count",] == 2
    assert found["te_batch_next_size_sum",] == 3
    assert found["te_request_duration_count",] == 2
    assert found["te_queue_size",] == 0
    assert ("process_resident_memory_bytes",) in found


def test_no_label_is_what_a_client_wrote(serve: Callable[..., Server]) -> None:
    server = serve({"words": word_vectors()})
    for number in range(20):
        server.client.get(f"/nowhere/{number}")
        server.client.request(f"ODD{number}", "/health")
        server.client.get(f"/playground/{number}")
        server.client.post("/neighbors", json={"words": ["ship"], "model": f"model-{number}"})
    text = server.client.get("/metrics").text
    assert "nowhere" not in text
    assert "ODD" not in text
    assert "model-" not in text
    routes = {dict(key[1:]).get("route") for key in _samples(server)}
    assert routes <= {None, "none", "/health", "/playground/{path:path}", "/neighbors", "/metrics"}


def _samples(server: Server) -> dict[tuple[object, ...], float]:
    families = text_string_to_metric_families(server.client.get("/metrics").text)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }
