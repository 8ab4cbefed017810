// Requests to the server, whose answers are JSON.

// A refusal of the server, with its texts by language. `status` is the HTTP status, or 0 if the server does not answer.
export class Refusal extends Error {
    constructor(status, texts) {
        super(texts.en);
        this.status = status;
        this.texts = texts;
    }
}

// This text is not from the server, as all others are: the server may be away before it has sent the first of them.
const NO_ANSWER = {
    en: "The server does not answer. It has ended, perhaps: start it again with `dropfour serve`.",
    zh: "服务器没有应答，可能已经结束：请用 `dropfour serve` 再次启动。",
};
const NO_JSON = { en: "The server's answer cannot be read.", zh: "读不懂服务器的应答。" };

// Returns the JSON at an address. If `content` is given, it is sent there as JSON. Throws a Refusal.
export function ask(address, content) {
    return content === undefined ? answer(address) : send(address, "application/json", JSON.stringify(content));
}

// Sends a file to an address and returns the JSON of the answer. Throws a Refusal.
export function sendFile(address, file) {
    return send(address, "application/octet-stream", file);
}

function send(address, type, body) {
    return answer(address, { method: "POST", headers: { "Content-Type": type }, body });
}

async function answer(address, request) {
    const reply = await fetch(address, { ...request, cache: "no-store" }).catch(() => {
        throw new Refusal(0, NO_ANSWER);
    });
    const found = await reply.json().catch(() => null);
    if (!reply.ok || found === null) {
        throw new Refusal(reply.status, found?.error ?? NO_JSON);
    }
    return found;
}
