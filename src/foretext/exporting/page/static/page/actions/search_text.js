// Passages of a text that a person pasted or opened, by the vectors of the network in this page.

import whole from "../../playground/actions/search_text.js";

export default {
  ...whole,
  needs: ["search_text"],
  fields: (model) => whole.fields(model).filter(({ name }) => name !== "by"),
};
