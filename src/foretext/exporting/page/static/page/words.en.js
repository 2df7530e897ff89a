import general from "../playground/words.en.js";

export default {
  ...general,
  "shell.title": "Model",
  "shell.summary": "A model that runs in your browser.",
  "shell.loading": "The model is being loaded …",
  "kind.fasttext classifier": "fastText's classifier",
  "kind.linear classifier": "linear classifier",
  "kind.linear matcher": "linear matcher",
  "kind.linear tagger": "linear tagger",
  "kind.embedding classifier": "classifier of vectors and words",
  "error.0": "The model did not load. Check that no file of this page is missing; a network or a very large model needs a web server.",
  "page.title": "About this page",
  "page.private": "Your browser runs the model. What you type stays on your device: this page sends nothing to anyone.",
  "page.offline": "Once loaded, it works offline.",
  "page.checked": "Its answers on {texts} texts were compared with those of foretext in Python. The largest difference of two numbers is {largest}.",
  "check.title": "Does this page give the same answers as Python?",
  "check.running": "The answers are being compared …",
  "check.right": "Yes. {texts} texts were compared: words and features are the same, and the largest difference of {numbers} numbers is {largest} (at most {bound} is allowed).",
  "check.wrong": "No. {texts} texts were compared; the largest difference is {largest}, and at most {bound} is allowed. The first differences:",
  "page.unknown_word": "The model does not know the word “{word}”. Try another one, or another spelling.",
};
