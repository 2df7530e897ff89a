"""Static word vectors: one vector a word, learned by neighbours."""

from foretext.registry import Registry

__all__ = ["VECTORS"]

VECTORS = Registry(
    "vectors",
    {
        "word2vec": "foretext.vectors.word2vec:Word2Vec",
        "glove": "foretext.vectors.glove:GloVe",
        "fasttext": "foretext.vectors.fasttext:FastText",
    },
)
