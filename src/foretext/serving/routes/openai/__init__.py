"""The routes of OpenAI's server below ``/v1/``, as its clients know them.

models.py           which models there are
embeddings.py       vectors of texts
completions.py      texts that a model writes, whole or as a stream
completion_body.py  what a client may request of them
inputs.py           texts and ids of a request
absent.py           routes of OpenAI that no model here can answer
"""

from __future__ import annotations

from fastapi import APIRouter

from foretext.serving.routes.openai import absent, completions, embeddings, models

__all__ = ["router", "unprefixed"]

router = APIRouter(prefix="/v1", tags=["OpenAI"])
for part in (models, embeddings, completions, absent):
    router.include_router(part.router)

# text-embeddings-inference has this one route without the prefix, too.
unprefixed = APIRouter(tags=["text-embeddings-inference"])
unprefixed.include_router(embeddings.router)
