// The values that our bot finds for the moves of a position, for as long as the reader wants them.

import { choice, h, tick } from "../../view/ui.js";
import { count, t, told } from "../../view/words.js";
import { Connection } from "../connection.js";
import { Notice } from "./frame.js";
import { bestInWords, lineInWords, valueTable } from "./values.js";

const SECONDS = [3, 10, 30, 60, 300]; // the times for a position that the reader can choose
const PAUSE_MS = 250; // the pause between a change and the question to the server: often more changes follow
const NOTHING = { found: null, refused: null, isThinking: false };

// What a page knows of the analysis at first. isAsking: whether the reader wants values; found: the latest analysis, or
// null; refused: what the server has refused, by language; showsLine: whether the board shows the expected moves instead
// of the values; isLost: whether the connection to the server is lost.
export const NO_ANALYSIS = { ...NOTHING, isAsking: false, seconds: 10, showsLine: false, isLost: false };

// Asks the server for the values of positions.
export class Analyst {
    // get() returns the analysis that the page knows, and set(changes) changes it. position() returns the position, and
    // `wrong` in it says why it can have no values.
    constructor(get, set, position) {
        Object.assign(this, { get, set, position, isAsked: false });
        this.connection = new Connection("/ws/position", {
            heard: (message) => this.heard(message),
            changed: (state) => {
                set({ isLost: state !== "open" });
                if (state === "open") {
                    this.askSoon();
                }
            },
        });
    }

    heard({ type, ...message }) {
        if (!this.isAsked) {
            return; // the message is about an earlier position
        }
        if (type === "refused") {
            this.set({ refused: message.error, isThinking: false });
        } else if (type === "analysis") {
            this.set({ found: message, isThinking: this.get().isAsking && !message.final });
        }
    }

    // Turns to another position, or to another time.
    look() {
        if (this.isAsked) {
            this.connection.send({ type: "stop" }); // messages still on their way arrive before the next question
        }
        this.isAsked = false;
        this.set(NOTHING);
        this.askSoon();
    }

    toggle() {
        const isAsking = !this.get().isAsking;
        this.set({ isAsking });
        if (isAsking) {
            this.askSoon();
        } else {
            this.connection.send({ type: "stop" });
            this.set({ isThinking: false });
        }
    }

    askSoon() {
        clearTimeout(this.timer);
        if (this.get().isAsking) {
            this.timer = setTimeout(() => this.ask(), PAUSE_MS);
        }
    }

    ask() {
        const { game, size, codes, mover, wrong } = this.position();
        const { seconds } = this.get();
        const content = { type: "analyse", game, size, cells: codes.join(""), mover, seconds };
        this.isAsked = !told(wrong) && this.connection.send(content);
        this.set({ ...NOTHING, isThinking: this.isAsked });
    }
}

// The panel with the values. Properties: the `analysis` that the page knows, its `analyst`, and `wrong`, which says why
// the position can have no values, or is "".
export function AnalysisPanel({ analysis, analyst, wrong }) {
    const { isAsking, found, refused, isThinking, seconds, showsLine } = analysis;
    const lengths = SECONDS.map((number) => [String(number), t("{number} s", { number: count(number) })]);
    const lasting = (number) => {
        analyst.set({ seconds: Number(number) });
        analyst.askSoon();
    };
    const press = { type: "button", "aria-pressed": isAsking, onClick: () => analyst.toggle() };
    const problem = wrong || (refused ? told(refused) : "");
    const state = [found && bestInWords(found), isThinking && t("the bot is thinking …")].filter(Boolean).join(" · ");
    return h(
        "div.analysis",
        h(
            "div.asking",
            h("button.main", press, isAsking ? t("Stop the analysis") : t("Show what the moves are worth")),
            choice(t("time for the analysis"), lengths, String(seconds), lasting),
            tick(t("show the expected moves on the board"), showsLine, (isOn) => analyst.set({ showsLine: isOn })),
        ),
        h("div.problem", problem && h(Notice, { text: problem })),
        h("p.best-move", { role: "status" }, state),
        h("p.expected", found && lineInWords(found)),
        h(
            "div.values-place.scroll",
            { tabindex: 0, "aria-label": t("values of the moves"), hidden: !found },
            found && valueTable(found),
        ),
    );
}
