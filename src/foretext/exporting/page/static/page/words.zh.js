import general from "../playground/words.zh.js";

export default {
  ...general,
  "shell.title": "模型",
  "shell.summary": "在浏览器中运行的模型。",
  "shell.loading": "正在加载模型……",
  "kind.fasttext classifier": "fastText 分类器",
  "kind.linear classifier": "线性分类器",
  "kind.linear matcher": "线性匹配模型",
  "kind.linear tagger": "线性标注器",
  "kind.embedding classifier": "基于向量和词的分类器",
  "error.0": "模型加载失败。请确认本页所在的文件夹完整；网络和特别大的模型需要通过服务器打开。",
  "page.title": "关于本页",
  "page.private": "所有计算都在浏览器中完成。输入的内容不会离开本机，本页不向任何地方发送数据。",
  "page.offline": "加载完成后无需联网。",
  "page.checked": "已用 {texts} 个文本与 Python 版 foretext 的结果比较，数值的最大差异为 {largest}。",
  "check.title": "本页的结果与 Python 一致吗？",
  "check.running": "正在比较结果……",
  "check.right": "一致。比较了 {texts} 个文本：词语和特征相同，{numbers} 个数值的最大差异为 {largest}（最多允许 {bound}）。",
  "check.wrong": "不一致。比较了 {texts} 个文本，最大差异为 {largest}，超过允许的 {bound}。前几处不一致：",
  "page.unknown_word": "模型不认识“{word}”这个词，请换一个词或换一种写法。",
};
