// The models that a page can hold, by the name of their kind.

import { DocumentVectors } from "./document_vectors.js";
import { EmbeddingClassifier } from "./embedding_classifier.js";
import { FastText } from "./fasttext.js";
import { Linear } from "./linear.js";
import { LinearMatcher } from "./linear_matcher.js";
import { LinearTagger } from "./linear_tagger.js";
import { predictions } from "./predictions.js";
import { SearchIndex } from "./search_index.js";
import { Tensors } from "./tensors.js";
import { WordVectors } from "./word_vectors.js";

const KINDS = {
  "word vectors": WordVectors,
  "document vectors": DocumentVectors,
  "fasttext classifier": FastText,
  "linear classifier": Linear,
  "linear matcher": LinearMatcher,
  "linear tagger": LinearTagger,
  "embedding classifier": EmbeddingClassifier,
  "search index": SearchIndex,
};

/** What a page does with a model file: {info, model, answer(path, body)}. */
export function opened(buffer) {
  const tensors = new Tensors(buffer);
  const model = new KINDS[tensors.about.kind](tensors);
  const answers = model.answers ?? { predict: ({ inputs }) => predictions(model, inputs) };
  return { info: tensors.about.info, model, answer: (path, body) => answers[path](body) };
}
