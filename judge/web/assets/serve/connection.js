// A WebSocket connection to the server that is opened again after it was lost.

const PAUSES_MS = [300, 1000, 2000, 4000]; // the pauses before each new try; the last one repeats
const NOTHING_THERE = 4404; // the server closes with this code if there is nothing at the connection's path

export class Connection {
    // Calls heard(message) with every message, as an object, and changed(state) with "open", "lost" or "gone". "gone"
    // means that there is nothing at the path; the connection is then tried again only if `mayCome`, that is, if
    // something may appear there later.
    constructor(path, { heard, changed, mayCome = false }) {
        Object.assign(this, { path, heard, changed, mayCome });
        this.failures = 0;
        this.state = "";
        this.open();
        addEventListener("pagehide", () => this.close());
        addEventListener("pageshow", (event) => event.persisted && this.open());
    }

    open() {
        const scheme = location.protocol === "https:" ? "wss" : "ws";
        const socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
        const isOurs = () => this.socket === socket;
        this.socket = socket;
        // If something may appear later, an open socket does not yet mean that it has: wait for the first message.
        socket.addEventListener("open", () => isOurs() && !this.mayCome && this.become("open"));
        socket.addEventListener("message", (event) => isOurs() && this.hear(JSON.parse(event.data)));
        socket.addEventListener("close", (event) => isOurs() && this.end(event.code));
    }

    hear(message) {
        if (message.type !== "refused") {
            this.failures = 0;
            this.become("open");
        }
        this.heard(message);
    }

    end(code) {
        this.become(code === NOTHING_THERE ? "gone" : "lost");
        if (this.state === "lost" || this.mayCome) {
            const pause = PAUSES_MS[Math.min(this.failures, PAUSES_MS.length - 1)];
            this.failures += 1;
            this.timer = setTimeout(() => this.open(), pause);
        }
    }

    become(state) {
        if (state !== this.state) {
            this.state = state;
            this.changed(state);
        }
    }

    // Closes the connection and opens it anew, for example because messages were missed.
    restart() {
        this.close();
        this.open();
    }

    close() {
        const { socket } = this;
        this.socket = null;
        clearTimeout(this.timer);
        socket?.close();
    }

    // Sends `content` as JSON. Returns false if the connection is not open.
    send(content) {
        if (this.socket?.readyState !== WebSocket.OPEN) {
            return false;
        }
        this.socket.send(JSON.stringify(content));
        return true;
    }
}
