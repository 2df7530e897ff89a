// Passages of the index in this page, by the vectors of its model.

import whole from "../../playground/actions/search.js";

export default {
  ...whole,
  fields: (model) => whole.fields(model).filter(({ name }) => name !== "by"),
  request: (values) => whole.request({ ...values, by: "vectors" }),
};
