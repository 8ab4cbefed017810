// The page of a record file to which games are being added: the games played now, and the totals of all games so far.

import { element, withFocusKept } from "../../view/dom.js";
import { Score } from "../../view/many/counts.js";
import { GameList } from "../../view/many/list.js";
import { readRow, readRows, resultOf } from "../../view/many/rows.js";
import { llrPart, ratingPart } from "../../view/many/statistics.js";
import { count, t, told } from "../../view/words.js";
import { Connection } from "../connection.js";
import { now, ticking } from "../parts/clock.js";
import { LiveGames } from "../parts/live_games.js";
import { notice } from "../parts/notice.js";
import { Pace } from "../parts/pace.js";
import { addRow, resultInWords } from "../parts/rows_to_come.js";
import { top } from "../top.js";

const LIST_MS = 400; // the shortest interval between two drawings of the list

export async function watchPage(root, start, place) {
    new WatchPage(root, place).open();
}

class WatchPage {
    constructor(root, place) {
        Object.assign(this, { root, place });
        this.name = decodeURIComponent(place);
        this.lives = new LiveGames();
        this.pace = new Pace(now());
        this.data = null;
        this.isRunning = false;
        this.state = "";
        this.refused = null;
        this.damage = null; // the error in the file, by language, or null
    }

    open() {
        this.build();
        this.connection = new Connection(`/ws/follow/${this.place}`, {
            heard: (message) => this.heard(message),
            changed: (state) => {
                this.state = state;
                if (state === "open") {
                    this.refused = null;
                }
                this.showState();
            },
            mayCome: true,
        });
        ticking(() => {
            this.lives.tick();
            this.showPace();
        });
    }

    // Builds the whole page, at first and after a change of the language.
    build() {
        document.title = `${this.name} · dropfour`;
        this.trouble = element("div", { class: "troubles" });
        this.badge = element("span", { class: "badge", role: "status" });
        this.facts = element("dl", { class: "facts-so-far" });
        this.curve = element("div", { class: "llr-so-far" });
        this.games = element("div", { class: "games-so-far" });
        const links = [
            element("a", { href: `/records/${this.place}` }, t("look at the finished games")),
            element("a", { href: `/records/${this.place}#statistics` }, t("all statistics")),
        ];
        const heading = element("div", { class: "watch-heading" }, element("h2", {}, t("So far")), this.badge);
        const above = element("section", { class: "panel so-far" }, heading, this.facts, this.curve);
        this.root.classList.add("watch");
        this.lives.build();
        this.root.replaceChildren(
            top(this.name, null, () => this.build()),
            this.trouble,
            above,
            this.lives.element,
            element("nav", { class: "ways-on", "aria-label": t("more of this record") }, links),
            this.games,
        );
        this.showState();
        if (this.data) {
            this.buildList();
            this.showTotals();
        }
    }

    heard(message) {
        const acts = {
            summary: () => this.begin(message),
            begun: () => this.lives.begin(message.live),
            moved: () => this.lives.moved(message) || this.connection.restart(),
            dropped: () => this.lives.drop(message.id),
            ended: () => this.ended(message),
            totals: () => {
                this.data.totals = message.totals;
                this.showTotals();
            },
            running: () => {
                this.isRunning = message.is_running;
                this.showState();
            },
            damage: () => {
                this.damage = message.damage;
                this.showState();
            },
            refused: () => {
                this.refused = message.error;
                this.showState();
            },
        };
        acts[message.type]?.();
    }

    // Takes a summary, which replaces all data: at the first message, and when earlier data is void.
    begin(message) {
        const before = this.rows?.length;
        this.data = message.summary;
        this.rows = readRows(this.data.list);
        if (before === undefined) {
            const clock = Date.now() / 1000; // the records' clock, not the pace's
            this.pace.seed(message.ends.map((end) => clock - end), now());
        }
        for (let missed = before ?? this.rows.length; missed < this.rows.length; missed += 1) {
            this.pace.add(now());
        }
        this.isRunning = message.is_running;
        this.damage = message.damage;
        this.lives.reset(message.live);
        this.buildList();
        this.showTotals();
        this.showState();
    }

    buildList() {
        const address = `/records/${this.place}`;
        const open = (index) => {
            location.href = `${address}#g${index + 1}`;
        };
        this.list = new GameList(this.data, this.rows, open, () => {}, address);
        this.list.isDescending = true; // the latest game comes first
        this.list.build();
        this.games.replaceChildren(this.list.element);
    }

    ended(message) {
        const isNewToFilters = addRow(this.data.list, message);
        const row = readRow(this.data.list, this.rows.length);
        this.rows.push(row);
        this.pace.add(now());
        this.lives.end(message.id, resultInWords(row));
        this.isStale = this.isStale || isNewToFilters;
        this.timer ??= setTimeout(() => this.showList(), LIST_MS);
    }

    showList() {
        this.timer = null;
        withFocusKept(this.list.element, () => (this.isStale ? this.list.build() : this.list.show()));
        this.isStale = false;
        this.showFacts();
    }

    showTotals() {
        const { llr, ratings } = this.data.totals;
        this.curve.replaceChildren(...(llr ? [llrPart(llr)] : []), ...(ratings ? [ratingPart(ratings)] : []));
        this.showFacts();
    }

    showFacts() {
        const score = new Score();
        const judged = this.rows.filter((row) => row.ending !== "VOID");
        const voids = this.rows.length - judged.length;
        judged.forEach((row) => score.add(resultOf(row, "A")));
        const { strength, llr } = this.data.totals;
        const facts = [
            [t("games"), count(this.rows.length), "number"],
            [t("a minute"), "", "pace"],
        ];
        if (voids > 0) {
            facts.push([t("VOID"), count(voids), "void"]);
        }
        if (strength) {
            const { won, drawn, lost } = score;
            facts.push([t("A: won / drawn / lost"), `${won} / ${drawn} / ${lost}`, "score"]);
            facts.push(["Elo", strength.told, "elo"]);
        }
        if (llr) {
            const figure = llr.points.at(-1)[1].toFixed(2);
            const bounds = llr.bounds.map((bound) => bound.toFixed(2)).join(" … ");
            facts.push(["LLR", `${figure} (${bounds})`, "llr-now"]);
        }
        this.facts.replaceChildren(
            ...facts.map(([name, text, kind]) =>
                element("div", { "data-fact": kind }, element("dt", {}, name), element("dd", {}, text)),
            ),
        );
        this.showPace();
    }

    showPace() {
        const place = this.facts.querySelector("[data-fact='pace'] dd");
        const pace = this.pace.perMinute(now());
        const text = pace === null ? "–" : pace.toFixed(pace < 10 ? 1 : 0);
        if (place && place.textContent !== text) {
            place.textContent = text;
            place.title = t("by the games of the last five minutes");
        }
    }

    showState() {
        const texts = {
            lost: t("The connection to the server is lost; it is tried again."),
            gone: t("There is no such record now; it is looked for again."),
        };
        const refused = this.refused && this.state !== "gone" ? told(this.refused) : "";
        const damage = this.damage ? told(this.damage) : "";
        const lines = [refused, damage, texts[this.state]].filter(Boolean);
        this.trouble.replaceChildren(...lines.map((text) => notice(text, "trouble")));
        const isLive = this.state === "open" && this.isRunning;
        this.badge.className = isLive ? "badge live" : "badge";
        this.badge.textContent = !this.data ? "" : isLive ? t("live") : this.isRunning ? "" : t("not running");
    }
}
