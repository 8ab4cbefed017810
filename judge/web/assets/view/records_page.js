// The page of recorded games: a game, the list and the statistics beside it, and the effect of keys and links.

import { button, element, withFocusKept } from "./dom.js";
import { GameView } from "./game_view.js";
import { GameList } from "./many/list.js";
import { readRows } from "./many/rows.js";
import { statistics } from "./many/statistics.js";
import { lastPly } from "./record.js";
import { gameName, t, told } from "./words.js";

const PLACE = /^#g(\d{1,9})(?:m(\d{1,9}))?$/;
const MOST_FILES = 3; // files that the title names
const STATISTICS = "#statistics";

export class RecordsPage {
    // data: the result of summary_json() in judge/web/record_page.py for at least one game. games.game(index) returns a
    // promise of a game's JSON. top(name, middle, changed) returns the header, as header() in frame.js does.
    constructor(data, games, top) {
        this.data = data;
        this.games = games;
        this.top = top;
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
        await this.goTo(location.hash);
        this.build();
        performance.mark("the first board stands");
        addEventListener("hashchange", () => this.goTo(location.hash));
        addEventListener("keydown", (event) => this.press(event));
        document.documentElement.dataset.ready = "yes";
    }

    // Builds the whole page around the game, at first and after a change of the language.
    build() {
        const { files } = this.data;
        const names = files.length > MOST_FILES ? t("{number} files", { number: files.length }) : files.join(", ");
        document.title = `${names} · dropfour`;
        const many = this.rows.length > 1;
        this.tabs = element("nav", { class: "tabs" });
        this.header = this.top(names, many ? this.tabs : null, () =>
            withFocusKept(this.root, () => {
                this.view.build();
                this.view.show();
                this.build();
            }),
        );
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
        withFocusKept(this.tabs, () =>
            this.tabs.replaceChildren(
                tab(t("Games"), !this.isCounting, () => this.count(false)),
                tab(t("Statistics"), this.isCounting, () => this.count(true)),
            ),
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

    // Goes where a link leads: to a game and a ply, or to the game's last ply if the link names none. Any other link
    // leads to the first game.
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

    // Shows a game, at its last position if `ply` is null.
    async open(index, ply, writes = true) {
        this.opened += 1;
        const request = this.opened;
        const game = await this.games.game(index);
        if (request !== this.opened) {
            return; // another game was asked for meanwhile
        }
        this.index = index;
        withFocusKept(this.view.element, () => this.view.open(game, ply ?? lastPly(game), () => this.heading(game)));
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
        const isMixed = this.data.list.boards.some((board) => board.game !== game.game);
        const facts = [
            isMixed ? gameName(game.game) : "",
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
            // The browser refuses too many changes in a short time, or any change of the address of a local file.
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
