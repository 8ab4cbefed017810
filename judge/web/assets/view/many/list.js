// The list of games: it can be filtered and sorted, and opens a game.

import { choice, element, withFocusKept } from "../dom.js";
import { fits, NO_FILTER, resultOf, sorted } from "./rows.js";
import { gameName, seconds, t, told } from "../words.js";

const AT_ONCE = 100; // rows that are shown at first, and added each time that more are asked for

export class GameList {
    // Calls open(index) when a game is chosen, and changed(rows) when the filter chooses other rows. `address` is the
    // address of the page that shows the games, or "" for this page.
    constructor(data, rows, open, changed, address = "") {
        this.data = data;
        this.rows = rows;
        this.open = open;
        this.changed = changed;
        this.address = address;
        this.filter = { ...NO_FILTER };
        this.key = "number";
        this.isDescending = false;
        this.shown = AT_ONCE;
        this.current = -1;
        this.element = element("section", { class: "list" });
    }

    // Whether the list has boards of more than one game.
    get isMixed() {
        const { boards } = this.data.list;
        return boards.some((board) => board.game !== boards[0].game);
    }

    // The rows that fit the filter, in the chosen order.
    get chosen() {
        return sorted(
            this.rows.filter((row) => fits(row, this.filter)),
            this.key,
            this.isDescending,
        );
    }

    build() {
        this.number = element("p", { class: "found", role: "status" });
        this.body = element("tbody", { role: "rowgroup" });
        this.more = element("div", { class: "more" });
        // Some browsers do not take rows that are laid out as grids for rows: the roles say what they are.
        this.head = element("thead", { role: "rowgroup" });
        const table = element("table", { class: "games", role: "table" }, this.head, this.body);
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
            return element("th", { class: key, scope: "col", role: "columnheader", "aria-sort": order }, press);
        });
        withFocusKept(this.head, () => this.head.replaceChildren(element("tr", { role: "row" }, cells)));
    }

    show() {
        this.headings();
        const rows = this.chosen;
        const found = t("{number} of {total} games", { number: rows.length, total: this.rows.length });
        const isOfA = this.filter.result !== "" && this.filter.player === "";
        this.number.textContent = isOfA ? `${found} (${t("A's results")})` : found;
        const { isMixed } = this;
        this.body.replaceChildren(...rows.slice(0, this.shown).map((row) => this.row(row, isMixed)));
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

    // Returns the element of a row. With `isMixed` it names the game.
    row(row, isMixed) {
        const files = this.data.files.length > 1 ? `${this.data.files[row.file]} ${row.number}` : null;
        // A plain click on the link opens the game, as a click on its row does. Other clicks, such as for a new tab,
        // follow the link.
        const follow = (event) => {
            if (this.address === "" && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) {
                event.preventDefault();
            }
        };
        const number = row.index + 1;
        const link = element("a", { href: `${this.address}#g${number}`, click: follow }, String(number));
        const cell = (name, ...content) => element("td", { class: name, role: "cell" }, content);
        const result = resultOf(row, "A") === "void" ? t("VOID") : ({ A: "1–0", B: "0–1" }[row.winner] ?? "½–½");
        const ending = t(row.ending);
        const cells = [
            cell("number", link),
            cell("players", this.player(row, "A"), element("span", { class: "versus" }, "–"), this.player(row, "B")),
            cell("where", isMixed ? `${gameName(row.where.game)} ` : "", row.where.size.replaceAll("x", "×")),
            cell("result", result),
            cell("ending", row.fault ? t("{ending} by {side}", { ending, side: row.fault }) : ending),
            cell("plies", t("{plies} plies", { plies: row.plies })),
            cell(`slowest ${row.late ? "late" : ""}`, seconds(row.slowest)),
        ];
        cells[0].title = files ?? "";
        cells[2].title = told(row.where.words);
        const isFault = !["NORMAL", "VOID"].includes(row.ending);
        return element(
            "tr",
            { class: isFault ? "fault" : "", role: "row", "data-index": row.index, click: () => this.open(row.index) },
            cells,
        );
    }

    player(row, side) {
        const names = [row.winner === side ? "winner" : "", row.first === side ? "first" : ""].join(" ");
        const began = row.first === side ? element("small", { class: "began" }, t("first")) : null;
        return element("span", { class: `name ${names}` }, row.names[side], began);
    }

    // Marks the row of the game that is open.
    mark(index) {
        this.current = index;
        this.body?.querySelector("[aria-current]")?.removeAttribute("aria-current");
        this.body?.querySelector(`[data-index="${index}"]`)?.setAttribute("aria-current", "true");
    }

    // Returns the index of the game before (step -1) or after (step 1) another one in the list's order, or null.
    beside(index, step) {
        const rows = this.chosen;
        const place = rows.findIndex((row) => row.index === index);
        return (place < 0 ? rows[0] : rows[place + step])?.index ?? null;
    }
}
