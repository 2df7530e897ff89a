"""The routes of OpenAI's server below ``/v1/``, as its clients know them.

models.py           what there is to ask
embeddings.py       vectors of texts
completions.py      texts that a model writes, whole or as a stream
completion_body.py  what a client may ask of them
completion.py       one request of them while it is answered
prompt_in_work.py   the texts of one of its prompts, in the model's thread
events.py           what a model's thread reports, sent as it comes
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
