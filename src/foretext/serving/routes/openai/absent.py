"""Routes of OpenAI that no model here can answer: each says where to go instead."""

from __future__ import annotations

from fastapi import APIRouter

from foretext.serving.errors import ServingError

__all__ = ["router"]

router = APIRouter()


class NoConversation(ServingError):  # noqa: N818  the name of a status
    """A route for models that answer in a conversation."""

    status = 404
    code = "unsupported_route"


@router.post("/chat/completions")
async def chat() -> None:
    """Refuse: no model here has learned to answer in a conversation."""
    raise NoConversation(
        "The models of this server continue texts and have learned no conversation, so there is no "
        "/v1/chat/completions; send a text to /v1/completions (client.completions.create)."
    )


@router.post("/responses")
async def responses() -> None:
    """Refuse, as `chat` does."""
    raise NoConversation(
        "The models of this server continue texts, so there is no /v1/responses; send a text to "
        "/v1/completions (client.completions.create)."
    )
