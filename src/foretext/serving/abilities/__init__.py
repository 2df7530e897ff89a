"""What models can do behind a server, one ability a file."""

from __future__ import annotations

from foretext.base.registry import Registry

__all__ = ["ABILITIES"]

ABILITIES = Registry(
    "ability",
    {
        "embed": "foretext.serving.abilities.embed:Embed",
        "states": "foretext.serving.abilities.states:States",
        "tokenize": "foretext.serving.abilities.tokenize:Tokenize",
        "decode": "foretext.serving.abilities.decode:Decode",
        "rerank": "foretext.serving.abilities.rerank:Rerank",
        "predict": "foretext.serving.abilities.predict:Predict",
        "generate": "foretext.serving.abilities.generate:Generate",
        "likelihood": "foretext.serving.abilities.likelihood:Likelihood",
        "neighbors": "foretext.serving.abilities.neighbors:Neighbors",
        "analogy": "foretext.serving.abilities.analogy:Analogy",
        "map": "foretext.serving.abilities.map:Map",
        "fill": "foretext.serving.abilities.fill:Fill",
        "tag": "foretext.serving.abilities.tag:Tag",
        "answer": "foretext.serving.abilities.answer:Answer",
        "translate": "foretext.serving.abilities.translate:Translate",
        "attention": "foretext.serving.abilities.attention:Attention",
        "alignment": "foretext.serving.abilities.alignment:Alignment",
        "search": "foretext.serving.abilities.search:Search",
        "explain": "foretext.serving.abilities.explain:Explain",
    },
)
