// The panel with the values that our bot finds for the moves of a position, for as long as the reader wants them.

import { choice, element, tick } from "../../view/dom.js";
import { count, t, told } from "../../view/words.js";
import { Connection } from "../connection.js";
import { notice } from "./notice.js";
import { bestInWords, lineInWords, valueTable } from "./values.js";

const SECONDS = [3, 10, 30, 60, 300]; // the times for a position that the reader can choose
const USUAL_SECONDS = 10;
const PAUSE_MS = 250; // the pause between a change and the question to the server: often more changes follow

export class AnalysisPanel {
    // Calls changed() after a change of `analysis` (null if there is none), `showsLine` (whether the board shows the
    // expected moves instead of the values) or `isLost` (whether the connection to the server is lost).
    constructor(changed) {
        Object.assign(this, { changed, seconds: USUAL_SECONDS, isAsking: false, showsLine: false, isLost: false });
        this.forget();
        this.element = element("div", { class: "analysis" });
    }

    open() {
        this.connection = new Connection("/ws/position", {
            heard: (message) => this.heard(message),
            changed: (state) => {
                this.isLost = state !== "open";
                if (!this.isLost) {
                    this.askSoon();
                }
                this.changed();
            },
        });
    }

    // Builds the panel, at first and after a change of the language.
    build() {
        const lengths = SECONDS.map((number) => [String(number), t("{number} s", { number: count(number) })]);
        this.press = element("button", { type: "button", class: "main", click: () => this.toggle() });
        const line = tick(t("expected moves on the board"), this.showsLine, (isOn) => {
            this.showsLine = isOn;
            this.changed();
        });
        const length = choice(t("time"), lengths, String(this.seconds), (number) => {
            this.seconds = Number(number);
            this.askSoon();
        });
        this.problem = element("div", { class: "problem" });
        this.best = element("p", { class: "best-move", role: "status" });
        this.expected = element("p", { class: "expected" });
        this.table = element("div", { class: "values-place scroll", tabindex: 0, "aria-label": t("values") });
        this.element.replaceChildren(
            element("div", { class: "asking" }, this.press, length, line),
            this.problem,
            this.best,
            this.expected,
            this.table,
        );
        this.show();
    }

    // Turns to another position, {game, size, codes, mover}. `wrong` says why it can have no values, or is "".
    look(position, wrong) {
        Object.assign(this, { position, wrong });
        if (this.isAsked) {
            this.connection.send({ type: "stop" }); // messages still on their way arrive before the next question
        }
        this.forget();
        this.askSoon();
        this.show();
    }

    // Drops the results for an earlier position.
    forget() {
        Object.assign(this, { analysis: null, refused: null, isThinking: false, isAsked: false });
    }

    toggle() {
        this.isAsking = !this.isAsking;
        if (this.isAsking) {
            this.askSoon();
        } else {
            this.connection.send({ type: "stop" });
            this.isThinking = false;
        }
        this.show();
    }

    askSoon() {
        clearTimeout(this.timer);
        if (this.isAsking) {
            this.timer = setTimeout(() => this.ask(), PAUSE_MS);
        }
    }

    ask() {
        const { game, size, codes, mover } = this.position;
        this.forget();
        if (!this.wrong) {
            const cells = codes.join("");
            const asked = { type: "analyse", game, size, cells, mover, seconds: this.seconds };
            this.isAsked = this.isThinking = this.connection.send(asked);
        }
        this.show();
    }

    heard(message) {
        if (!this.isAsked) {
            return; // the message is about an earlier position
        }
        if (message.type === "refused") {
            Object.assign(this, { refused: message.error, isThinking: false });
        } else if (message.type === "analysis") {
            Object.assign(this, { analysis: message, isThinking: this.isAsking && !message.final });
        }
        this.show();
        this.changed();
    }

    show() {
        const { analysis } = this;
        this.press.textContent = this.isAsking ? t("Stop") : t("Show what the moves are worth");
        this.press.setAttribute("aria-pressed", String(this.isAsking));
        const wrong = this.wrong || (this.refused ? told(this.refused) : "");
        if (this.problem.textContent !== wrong) {
            this.problem.replaceChildren(...(wrong ? [notice(wrong, "trouble")] : []));
        }
        const state = this.isThinking ? t("thinking …") : "";
        this.best.textContent = [analysis ? bestInWords(analysis) : "", state].filter(Boolean).join(" · ");
        this.expected.textContent = analysis ? lineInWords(analysis) : "";
        this.table.hidden = !analysis;
        this.table.replaceChildren(...(analysis ? [valueTable(analysis)] : []));
    }
}
