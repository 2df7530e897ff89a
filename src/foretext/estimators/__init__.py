"""Estimators: settings in, `fit`, a model out, under the names of gensim and scikit-learn."""

from foretext.estimators.autoencoder import Autoencoder
from foretext.estimators.doc2vec import Doc2Vec
from foretext.estimators.fasttext import FastText
from foretext.estimators.glove import GloVe
from foretext.estimators.word2vec import Word2Vec

__all__ = ["Autoencoder", "Doc2Vec", "FastText", "GloVe", "Word2Vec"]
