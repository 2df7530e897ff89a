import general from "../playground/words.en.js";

export default {
  ...general,
  "shell.title": "Model",
  "shell.summary": "A model that runs in your browser.",
  "shell.loading": "The model is being loaded …",
  "kind.fasttext classifier": "fastText's classifier",
  "kind.linear classifier": "linear classifier",
  "error.0": "The model did not load. See that the folder of this page is whole; very large models need a server.",
  "page.title": "About this page",
  "page.private": "Your browser does all the work. What you type stays here: this page sends nothing to anybody.",
  "page.offline": "Once loaded, it works offline.",
  "page.checked": "On {texts} texts its answers were compared with those of foretext in Python. The largest difference of two numbers is {largest}.",
  "check.title": "Does this page answer as Python does?",
  "check.running": "The answers are being compared …",
  "check.right": "Yes. {texts} texts were compared: words and features are the same, and of {numbers} numbers the largest difference is {largest} (at most {bound} is allowed).",
  "check.wrong": "No. {texts} texts were compared; the largest difference is {largest}, and at most {bound} is allowed. The first faults:",
  "page.unknown_word": "The model does not know the word “{word}”. Try another one, or another spelling.",
};
