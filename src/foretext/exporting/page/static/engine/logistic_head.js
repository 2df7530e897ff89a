// A linear layer with what it makes of features: logistic regression.

import { sigmoid, softmax } from "./fasttext.js";

export class LogisticHead {
  /**
   * tensors    of the file, which has weights and bias
   * numLabels  of two labels that exclude each other the first one's logit is 0
   * several    whether a text has any number of labels
   */
  constructor(tensors, numLabels, several) {
    const { numbers, dim } = tensors.matrix("weights");
    Object.assign(this, { weights: numbers, outputs: dim, bias: tensors.stored("bias"), numLabels, several });
  }

  /** features: pairs of an index and a value. */
  logits(features) {
    const sums = Float64Array.from(this.bias);
    for (const [index, value] of features) {
      for (let label = 0; label < this.outputs; label += 1) sums[label] += this.weights[index * this.outputs + label] * value;
    }
    return this.outputs < this.numLabels ? Float64Array.of(0, ...sums) : sums;
  }

  probabilities(features) {
    const logits = this.logits(features);
    return Array.from(this.several ? logits.map(sigmoid) : softmax(logits));
  }
}
