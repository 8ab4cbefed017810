// The list of games: it can be filtered and sorted, and opens a game.

import { gameName } from "./games.js";
import { fits, sorted } from "./rows.js";
import { choice, labelled, memo, h } from "./ui.js";
import { seconds, t, told } from "./words.js";

const AT_ONCE = 100; // rows that are shown at first

// What a reader sets: the filter, the key by which rows are sorted, and how many rows are shown.
export const USUAL_LIST = {
    filter: { player: "", result: "", ending: "", side: "", text: "" },
    key: "number",
    isDescending: false,
    most: AT_ONCE,
};

// Returns the settings of a list with `found`, the rows that fit its filter, in the chosen order.
export function listed(rows, list) {
    const fitting = rows.filter((row) => fits(row, list.filter));
    return { ...list, found: sorted(fitting, list.key, list.isDescending) };
}

// Returns the index of the game before (step -1) or after (step 1) another one in the list's order, or null.
export function beside({ found }, index, step) {
    const place = found.findIndex((row) => row.index === index);
    return (place < 0 ? found[0] : found[place + step])?.index ?? null;
}

// Properties: the page's `data` and all `rows`; `list`, the result of listed(); set(changes), which changes the settings;
// `current`, the index of the game that is open; open(index), which opens a game; and `address`, the address of the page
// that shows the games, if it is another one.
export const GameList = memo(({ data, rows, list, set, current, open, address = "" }) => {
    const { found, most, filter } = list;
    const number = t("{number} of {total} games", { number: found.length, total: rows.length });
    const isOfA = filter.result !== "" && filter.player === "";
    const { boards } = data.list;
    const isMixed = boards.some((board) => board.game !== boards[0].game);
    const shown = found.slice(0, most).map((row) => {
        const file = data.files.length > 1 ? `${data.files[row.file]} ${row.number}` : "";
        return h(Row, { key: row.index, row, file, isMixed, isCurrent: row.index === current, open, address });
    });
    const all = () => set({ most: found.length });
    const more = t("show all {number} games", { number: found.length });
    // Some browsers do not take rows that are laid out as grids for rows: the roles say what they are.
    return h(
        "section.list",
        h("h2", t("Games")),
        h(Filters, { players: data.list.players, rows, filter, set }),
        h("p.found", { role: "status" }, isOfA ? `${number} (${t("the results are those of A")})` : number),
        h(
            "table.games",
            { role: "table" },
            h("thead", { role: "rowgroup" }, h(Headings, { list, set })),
            h("tbody", { role: "rowgroup" }, shown),
        ),
        h("div.more", found.length > most && h("button", { type: "button", onClick: all }, more)),
    );
});

function Filters({ players, rows, filter, set }) {
    const change = (name) => (value) => set({ filter: { ...filter, [name]: value }, most: AT_ONCE });
    const names = players
        .map((name, number) => [String(number), name])
        .sort((one, other) => (one[1] < other[1] ? -1 : 1));
    const endings = [...new Set(rows.map((row) => row.ending))].sort().map((name) => [name, t(name)]);
    const results = { won: t("won"), drawn: t("drawn"), lost: t("lost"), void: t("VOID") };
    const sides = { first: t("moved first"), second: t("moved second") };
    const choose = (label, name, all) => choice(label, [["", t("no filter")], ...all], filter[name], change(name));
    const search = h("input", {
        type: "search",
        placeholder: t("name or board"),
        "aria-label": t("name or board"),
        value: filter.text,
        onInput: (event) => change("text")(event.target.value),
    });
    return h(
        "form.filters",
        { onSubmit: (event) => event.preventDefault() },
        choose(t("player"), "player", names),
        choose(t("result"), "result", Object.entries(results)),
        choose(t("moved first or second"), "side", Object.entries(sides)),
        choose(t("ending"), "ending", endings),
        labelled(t("search for"), search, { class: "choice search" }),
    );
}

function Headings({ list, set }) {
    const titles = {
        number: t("game number"),
        players: t("players"),
        where: t("board"),
        result: t("result"),
        ending: t("ending"),
        plies: t("plies"),
        slowest: t("slowest move"),
    };
    const cells = Object.entries(titles).map(([key, title]) => {
        const isKey = key === list.key;
        const arrow = isKey ? (list.isDescending ? " ↓" : " ↑") : "";
        const sort = () => set({ key, isDescending: isKey && !list.isDescending });
        const order = isKey ? (list.isDescending ? "descending" : "ascending") : null;
        const press = h("button", { type: "button", onClick: sort }, title + arrow);
        return h("th", { class: key, scope: "col", role: "columnheader", "aria-sort": order }, press);
    });
    return h("tr", { role: "row" }, cells);
}

const Row = memo(({ row, file, isMixed, isCurrent, open, address }) => {
    const number = row.index + 1;
    // A plain click on the link opens the game, as a click on its row does. Other clicks, such as for a new tab, follow
    // the link.
    const follow = (event) => {
        if (address === "" && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) {
            event.preventDefault();
        }
    };
    const cell = (name, content, title) => h("td", { class: name, role: "cell", title }, content);
    const result = row.ending === "VOID" ? t("VOID") : ({ A: "1–0", B: "0–1" }[row.winner] ?? "½–½");
    const ending = t(row.ending);
    const size = row.where.size.replaceAll("x", "×");
    const versus = h("span.versus", "–");
    const attributes = {
        class: row.ending === "NORMAL" || row.ending === "VOID" ? "" : "fault",
        role: "row",
        "data-index": row.index,
        "aria-current": isCurrent ? "true" : null,
        onClick: () => open(row.index),
    };
    return h(
        "tr",
        attributes,
        cell("number", h("a", { href: `${address}#g${number}`, onClick: follow }, String(number)), file),
        cell("players", [playerOf(row, "A"), versus, playerOf(row, "B")]),
        cell("where", isMixed ? `${gameName(row.where.game)} ${size}` : size, told(row.where.words)),
        cell("result", result),
        cell("ending", row.fault ? t("{ending} by {side}", { ending, side: row.fault }) : ending),
        cell("plies", t("{plies} plies", { plies: row.plies })),
        cell(`slowest ${row.late ? "late" : ""}`, seconds(row.slowest)),
    );
});

function playerOf(row, side) {
    const names = ["name", row.winner === side && "winner", row.first === side && "first"].filter(Boolean);
    const began = row.first === side && h("small.began", { title: t("moved first") }, t("first"));
    return h("span", { class: names.join(" ") }, row.names[side], began);
}
