// A line to the server, which comes back by itself after it was lost.

const PAUSES_MS = [300, 1000, 2000, 4000]; // before it is tried again, the last one from then on
const NOTHING_THERE = 4404; // the code that the server closes a line with which is for nothing that there is

export class Connection {
    // heard(message) is called with every message, as an object, and changed(state) with "open", "lost" or "gone": then
    // what the line is for is not there, and it is tried again only if that `mayCome`.
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
        // Where something may come, a line that opens is not yet of use.
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

    // Begin anew, as when something was missed.
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

    // Whether it could be sent.
    send(content) {
        if (this.socket?.readyState !== WebSocket.OPEN) {
            return false;
        }
        this.socket.send(JSON.stringify(content));
        return true;
    }
}
