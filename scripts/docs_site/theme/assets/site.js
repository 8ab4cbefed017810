// What is asked of the search of mkdocs-material, before it parts the words of a query.
//
// It looks Chinese words up in its index and leaves the last character of them out: one is put behind them that no page
// has. Dashes before a word, as in --resume, and colons, as in src:../v8, are taken for operators: they become blanks.
const NO_WORD = "〇";
const OPERATORS = /(?<=^|\s)[-+]+|[:^~]/g;
const QUERY = 2; // the kind of its messages that carries a query
const post = Worker.prototype.postMessage;

Worker.prototype.postMessage = function (message, ...others) {
    if (message?.type === QUERY)
        message.data = message.data.replace(OPERATORS, " ").replace(/\p{Script=Han}+/gu, `$&${NO_WORD}`);
    return post.call(this, message, ...others);
};
