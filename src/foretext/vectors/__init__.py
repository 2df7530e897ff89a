"""Static vectors, learned by neighbours: one a word, or one a document."""

from foretext.base.registry import Registry

__all__ = ["VECTORS"]

VECTORS = Registry(
    "vectors",
    {
        "word2vec": "foretext.vectors.word2vec:Word2Vec",
        "glove": "foretext.vectors.glove:GloVe",
        "fasttext": "foretext.vectors.fasttext:FastText",
        "doc2vec": "foretext.vectors.doc2vec:Doc2Vec",
    },
)
