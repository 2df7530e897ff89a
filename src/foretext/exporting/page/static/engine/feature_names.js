// Names of features, of which the file has how much of the name before each shares, and the rest.

/** The index of each feature by its name. */
export function featureIndices(tensors) {
  const shared = tensors.stored("shared");
  let name = "";
  return new Map(tensors.json("features").map((rest, index) => {
    name = name.slice(0, shared[index]) + rest;
    return [name, index];
  }));
}
