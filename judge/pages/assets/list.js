// The list of games: looked through, sorted, and one of them opened.

import { choice, element } from "./dom.js";
import { fits, NO_FILTER, resultOf, sorted } from "./rows.js";
import { seconds, t, told } from "./words.js";

const AT_ONCE = 100; // rows that are shown before more are asked for

export class GameList {
    // open(index) is called when a game is chosen, changed(rows) when others are looked for.
    constructor(data, rows, open, changed) {
        this.data = data;
        this.rows = rows;
        this.open = open;
        this.changed = changed;
        this.filter = { ...NO_FILTER };
        this.key = "number";
        this.isDescending = false;
        this.shown = AT_ONCE;
        this.current = -1;
        this.element = element("section", { class: "list" });
    }

    // The rows that fit, in their order.
    get chosen() {
        return sorted(
            this.rows.filter((row) => fits(row, this.filter)),
            this.key,
            this.isDescending,
        );
    }

    build() {
        this.number = element("p", { class: "found", role: "status" });
        this.body = element("tbody");
        this.more = element("div", { class: "more" });
        this.head = element("thead");
        const table = element("table", { class: "games" }, this.head, this.body);
        this.element.replaceChildren(element("h2", {}, t("Games")), this.filters(), this.number, table, this.more);
        this.show();
    }

    filters() {
        const set = (name) => (value) => {
            this.filter[name] = value;
            this.shown = AT_ONCE;
            this.show();
            this.changed(this.chosen);
        };
        const { players } = this.data.list;
        const names = players
            .map((name, number) => [String(number), name])
            .sort((one, other) => (one[1] < other[1] ? -1 : 1));
        const endings = [...new Set(this.rows.map((row) => row.ending))].sort();
        const any = ["", t("all")];
        const search = element("input", {
            type: "search",
            placeholder: t("name or board"),
            "aria-label": t("name or board"),
            input: () => set("text")(search.value),
        });
        search.value = this.filter.text;
        const results = [
            ["won", t("won")],
            ["drawn", t("drawn")],
            ["lost", t("lost")],
            ["void", t("VOID")],
        ];
        const sides = [
            ["first", t("first")],
            ["second", t("second")],
        ];
        return element(
            "form",
            { class: "filters", submit: (event) => event.preventDefault() },
            choice(t("player"), [any, ...names], this.filter.player, set("player")),
            choice(t("result"), [any, ...results], this.filter.result, set("result")),
            choice(t("moved"), [any, ...sides], this.filter.side, set("side")),
            choice(t("ending"), [any, ...endings.map((name) => [name, t(name)])], this.filter.ending, set("ending")),
            element("label", { class: "choice search" }, element("span", {}, t("search")), search),
        );
    }

    headings() {
        const titles = [
            ["number", t("No.")],
            ["players", t("players")],
            ["where", t("board")],
            ["result", t("result")],
            ["ending", t("ending")],
            ["plies", t("plies")],
            ["slowest", t("slowest")],
        ];
        const cells = titles.map(([key, title]) => {
            const isKey = key === this.key;
            const arrow = isKey ? (this.isDescending ? " ↓" : " ↑") : "";
            const sort = () => {
                this.isDescending = isKey && !this.isDescending;
                this.key = key;
                this.show();
            };
            const order = isKey ? (this.isDescending ? "descending" : "ascending") : null;
            const press = element("button", { type: "button", click: sort }, title + arrow);
            return element("th", { class: key, scope: "col", "aria-sort": order }, press);
        });
        this.head.replaceChildren(element("tr", {}, cells));
    }

    show() {
        this.headings();
        const rows = this.chosen;
        const found = t("{number} of {total} games", { number: rows.length, total: this.rows.length });
        const isOfA = this.filter.result !== "" && this.filter.player === "";
        this.number.textContent = isOfA ? `${found} (${t("A's results")})` : found;
        this.body.replaceChildren(...rows.slice(0, this.shown).map((row) => this.row(row)));
        this.more.replaceChildren();
        if (rows.length > this.shown) {
            const all = () => {
                this.shown = rows.length;
                this.show();
            };
            const text = t("show all {number}", { number: rows.length });
            this.more.append(element("button", { type: "button", click: all }, text));
        }
        this.mark(this.current);
    }

    row(row) {
        const files = this.data.files.length > 1 ? `${this.data.files[row.file]} ${row.number}` : null;
        const link = element("a", { href: `#g${row.index + 1}` }, String(row.index + 1));
        const cells = [
            element("td", { class: "number", title: files }, link),
            element(
                "td",
                { class: "players" },
                this.player(row, "A"),
                element("span", { class: "versus" }, "–"),
                this.player(row, "B"),
            ),
            element("td", { class: "where", title: told(row.where.words) }, row.where.size.replaceAll("x", "×")),
            element(
                "td",
                { class: "result" },
                resultOf(row, "A") === "void" ? t("VOID") : ({ A: "1–0", B: "0–1" }[row.winner] ?? "½–½"),
            ),
            element(
                "td",
                { class: "ending" },
                row.fault ? t("{ending} by {side}", { ending: t(row.ending), side: row.fault }) : t(row.ending),
            ),
            element("td", { class: "plies" }, t("{plies} plies", { plies: row.plies })),
            element(
                "td",
                { class: `slowest ${row.late ? "late" : ""}` },
                row.slowest === null ? "–" : seconds(row.slowest),
            ),
        ];
        const isFault = !["NORMAL", "VOID"].includes(row.ending);
        return element(
            "tr",
            { class: isFault ? "fault" : "", "data-index": row.index, click: () => this.open(row.index) },
            cells,
        );
    }

    player(row, side) {
        const names = [row.winner === side ? "winner" : "", row.first === side ? "first" : ""].join(" ");
        const title = row.first === side ? t("moved first") : null;
        return element("span", { class: `name ${names}`, title }, row.names[side]);
    }

    // Show which game is open.
    mark(index) {
        this.current = index;
        this.body?.querySelector("[aria-current]")?.removeAttribute("aria-current");
        this.body?.querySelector(`[data-index="${index}"]`)?.setAttribute("aria-current", "true");
    }

    // The game before (-1) or after (1) another in the list's order; null if there is none.
    beside(index, step) {
        const rows = this.chosen;
        const place = rows.findIndex((row) => row.index === index);
        return (place < 0 ? rows[0] : rows[place + step])?.index ?? null;
    }
}
