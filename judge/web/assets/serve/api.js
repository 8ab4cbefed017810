// What the server is asked for, as JSON.

// The server's "no", with its texts by language; status 0 where it does not answer at all.
export class Refusal extends Error {
    constructor(status, texts) {
        super(texts.en);
        this.status = status;
        this.texts = texts;
    }
}

// Said without the server, which has the words of this page: it may be away before the first of them came.
const NO_ANSWER = {
    en: "The server does not answer. It has ended, perhaps: start it again with `dropfour serve`.",
    zh: "服务器没有应答，可能已经结束：请用 `dropfour serve` 再次启动。",
};
const NO_JSON = { en: "The server's answer cannot be read.", zh: "读不懂服务器的应答。" };

// The JSON at an address; what `content` is for is sent to it, where there is one. Throws a Refusal.
export function ask(address, content) {
    return content === undefined
        ? answer(address, {})
        : answer(address, sent("application/json", JSON.stringify(content)));
}

// The JSON that an address answers to a file. Throws a Refusal.
export function sendFile(address, file) {
    return answer(address, sent("application/octet-stream", file));
}

function sent(type, body) {
    return { method: "POST", headers: { "Content-Type": type }, body };
}

async function answer(address, request) {
    let reply;
    try {
        reply = await fetch(address, { ...request, cache: "no-store" });
    } catch {
        throw new Refusal(0, NO_ANSWER);
    }
    let found;
    try {
        found = await reply.json();
    } catch {
        throw new Refusal(reply.status, NO_JSON);
    }
    if (!reply.ok) {
        throw new Refusal(reply.status, found.error ?? NO_JSON);
    }
    return found;
}
