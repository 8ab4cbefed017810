// The page: which game and position are shown, in which language and colours, and what keys do.

import { Games, readPage } from "./data.js";
import { button, choice, element } from "./dom.js";
import { GameView } from "./game_view.js";
import { GameList } from "./list.js";
import { lastPly } from "./record.js";
import { readRows } from "./rows.js";
import { statistics } from "./statistics.js";
import { languages, setWords, speak, t, told } from "./words.js";

const PLACE = /^#g(\d{1,9})(?:m(\d{1,9}))?$/;
const MOST_FILES = 3; // that the title names
const STATISTICS = "#statistics";
const LANGUAGES = { en: "English", zh: "中文" };

class App {
    constructor(data) {
        this.data = data;
        this.games = new Games(data.group);
        this.rows = readRows(data.list);
        this.view = new GameView(() => this.writePlace());
        this.list = new GameList(
            data,
            this.rows,
            (index) => this.open(index, null),
            () => this.showStatistics(),
        );
        this.index = -1;
        this.isCounting = false;
        this.opened = 0;
        this.root = document.getElementById("app");
    }

    async start() {
        this.speak(kept("language") ?? this.data.language);
        paint(kept("colours") ?? "");
        await this.goTo(location.hash);
        this.build();
        performance.mark("the first board stands");
        addEventListener("hashchange", () => this.goTo(location.hash));
        addEventListener("keydown", (event) => this.press(event));
        document.documentElement.dataset.ready = "yes";
    }

    speak(language) {
        this.language = speak(language);
    }

    // The whole page around the game, as for another language.
    build() {
        const { files } = this.data;
        const names = files.length > MOST_FILES ? t("{number} files", { number: files.length }) : files.join(", ");
        document.title = `${names} · dropfour`;
        const many = this.rows.length > 1;
        this.tabs = element("nav", { class: "tabs" });
        const tools = element(
            "div",
            { class: "tools" },
            choice(
                t("language"),
                languages().map((name) => [name, LANGUAGES[name] ?? name]),
                this.language,
                (name) => {
                    keep("language", name);
                    this.speak(name);
                    this.view.build();
                    this.view.show();
                    this.build();
                },
            ),
            choice(
                t("colours"),
                [
                    ["", t("as the system")],
                    ["light", t("light")],
                    ["dark", t("dark")],
                ],
                kept("colours") ?? "",
                (name) => {
                    keep("colours", name);
                    paint(name);
                },
            ),
        );
        const title = element(
            "h1",
            {},
            element("span", { class: "brand" }, "dropfour"),
            element("span", { class: "files" }, names),
        );
        this.header = element("header", { class: "top" }, title, many ? this.tabs : null, tools);
        this.totals = element("div", { class: "totals" });
        const help = element(
            "footer",
            { class: "help" },
            t("Keys: ← → a ply, Home and End, space plays, n and p another game, m jumps to a ply"),
        );
        this.root.replaceChildren(this.header, this.view.element, many ? this.list.element : "", this.totals, help);
        this.root.classList.toggle("many", many);
        if (many) {
            this.list.build();
            this.list.mark(this.index);
        }
        this.showTabs();
    }

    showTabs() {
        const tab = (text, isOn, act) =>
            element("button", { type: "button", "aria-pressed": String(isOn), click: act }, text);
        this.tabs.replaceChildren(
            tab(t("Games"), !this.isCounting, () => this.count(false)),
            tab(t("Statistics"), this.isCounting, () => this.count(true)),
        );
        this.root.classList.toggle("counting", this.isCounting);
        this.showStatistics();
    }

    count(isCounting) {
        this.isCounting = isCounting;
        this.view.stop();
        this.showTabs();
        this.writePlace();
    }

    showStatistics() {
        this.totals?.replaceChildren(this.isCounting ? statistics(this.data, this.list.chosen) : "");
    }

    // Where a link leads: to a game and a ply, the last one where it names none; to the first game from anywhere else.
    async goTo(hash) {
        const place = PLACE.exec(hash);
        const isCounting = hash === STATISTICS && this.rows.length > 1;
        if (isCounting !== this.isCounting) {
            this.isCounting = isCounting;
            if (this.tabs) {
                this.showTabs();
            }
        }
        const index = place
            ? Math.min(Math.max(1, Number(place[1])), this.rows.length) - 1
            : this.index < 0
              ? this.data.first
              : this.index;
        const ply = place?.[2] === undefined ? null : Number(place[2]);
        if (index !== this.index || (place && ply !== this.view.ply)) {
            await this.open(index, ply, false);
        }
    }

    // Show a game, at its last position where `ply` is null.
    async open(index, ply, writes = true) {
        this.opened += 1;
        const request = this.opened;
        const game = await this.games.game(index);
        if (request !== this.opened) {
            return; // another one has been asked for meanwhile
        }
        this.index = index;
        this.view.open(game, ply ?? lastPly(game), () => this.heading(game));
        this.list.mark(index);
        if (writes) {
            this.isCounting = false;
            this.showTabs();
            this.writePlace();
        } else {
            this.link();
        }
    }

    heading(game) {
        const row = this.rows[this.index];
        const many = this.rows.length > 1;
        const title = many
            ? t("Game {number} of {total}", { number: this.index + 1, total: this.rows.length })
            : t("Game");
        const file =
            this.data.files.length > 1
                ? `${this.data.files[row.file]}, ${t("game {number}", { number: row.number })}`
                : "";
        const facts = [
            told(game.board),
            game.limit === null ? "" : t("limit {limit} s", { limit: game.limit }),
            game.started.slice(0, 10),
            file,
        ];
        return element(
            "div",
            { class: "heading" },
            many ? button("‹", t("game before"), () => this.beside(-1)) : null,
            element(
                "div",
                { class: "title" },
                element("h2", {}, title),
                element("p", {}, facts.filter(Boolean).join(" · ")),
            ),
            many ? button("›", t("next game"), () => this.beside(1)) : null,
        );
    }

    beside(step) {
        const index = this.list.beside(this.index, step);
        if (index !== null) {
            this.open(index, null);
        }
    }

    place() {
        return `#g${this.index + 1}m${this.view.ply}`;
    }

    link() {
        this.view.link.href = this.place();
    }

    writePlace() {
        this.link();
        try {
            history.replaceState(null, "", this.isCounting ? STATISTICS : this.place());
        } catch {
            // too many in a short time, or a browser that keeps the address of a file as it is
        }
    }

    press(event) {
        const target = event.target instanceof Element ? event.target : document.body;
        const isTyping = target.matches("select, textarea, input:not([type=checkbox]):not([type=range])");
        if (event.ctrlKey || event.metaKey || event.altKey || isTyping || this.isCounting) {
            return;
        }
        const { view } = this;
        const keys = {
            ArrowRight: () => view.go(view.ply + 1),
            ArrowLeft: () => view.go(view.ply - 1),
            Home: () => view.go(0),
            End: () => view.go(view.last),
            " ": () => view.toggle(),
            n: () => this.beside(1),
            p: () => this.beside(-1),
            m: () => view.field.select(),
        };
        const isPressing = event.key === " " && target.matches("button, summary, input, a");
        if (keys[event.key] && !isPressing) {
            event.preventDefault();
            keys[event.key]();
        }
    }
}

// What the reader has chosen before, where the browser keeps it.
function kept(name) {
    try {
        return localStorage.getItem(`dropfour ${name}`);
    } catch {
        return null;
    }
}

function keep(name, value) {
    try {
        localStorage.setItem(`dropfour ${name}`, value);
    } catch {
        // it holds until the page is closed
    }
}

// "light", "dark", or "" for the system's.
function paint(colours) {
    document.documentElement.dataset.colours = colours;
}

const data = await readPage();
setWords(data.words);
await new App(data).start();
