// The first page: what is being played, a new game, and the files of records.

import { element, withFocusKept } from "../../view/dom.js";
import { count, gameName, t, told } from "../../view/words.js";
import { ask, Refusal } from "../api.js";
import { address, bytes, moment } from "../parts/names.js";
import { NewGame } from "../parts/new_game.js";
import { notice } from "../parts/notice.js";
import { top } from "../top.js";

const AGAIN_MS = 3000; // after which the lists are asked for anew

export async function startPage(root, start) {
    await new StartPage(root, start).open();
}

class StartPage {
    constructor(root, start) {
        Object.assign(this, { root, start });
        this.form = new NewGame(start, new URLSearchParams(location.search));
        this.tables = element("section", { class: "panel tables" });
        this.records = element("section", { class: "panel records" });
        this.trouble = element("div", { class: "troubles" });
        this.shown = "";
    }

    async open() {
        await this.look();
        this.build();
        this.watch();
    }

    async watch() {
        for (;;) {
            await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
            if (!document.hidden) {
                await this.look();
            }
        }
    }

    async look() {
        try {
            const [{ tables }, records] = await Promise.all([ask("/api/tables"), ask("/api/records")]);
            Object.assign(this, { tablesNow: tables, filesNow: records.files, leftOut: records.left_out });
            this.trouble.replaceChildren();
            this.showLists();
        } catch (error) {
            if (!(error instanceof Refusal)) {
                throw error;
            }
            if (this.trouble.textContent !== told(error.texts)) {
                this.trouble.replaceChildren(notice(told(error.texts), "trouble"));
            }
        }
    }

    build() {
        document.title = "dropfour";
        const header = top("", null, () => {
            this.shown = "";
            this.build();
        });
        this.form.build();
        this.showLists();
        const beside = element("div", { class: "beside" }, this.tables, this.records);
        this.root.classList.add("start");
        this.root.replaceChildren(header, this.trouble, this.form.element, beside);
    }

    // The lists, made anew only where they have changed; who stands on a link stands on one all the same.
    showLists() {
        const now = JSON.stringify([this.tablesNow, this.filesNow]);
        if (now === this.shown) {
            return;
        }
        this.shown = now;
        this.tables.hidden = !this.tablesNow?.length;
        withFocusKept(this.tables, () =>
            this.tables.replaceChildren(element("h2", {}, t("Your games")), this.tableList()),
        );
        withFocusKept(this.records, () =>
            this.records.replaceChildren(element("h2", {}, t("Records")), ...this.fileList()),
        );
    }

    tableList() {
        const entries = (this.tablesNow ?? []).map((table) => {
            const link = element(
                "a",
                { href: `/play/${encodeURIComponent(table.id)}` },
                t("{game} against {player}", { game: gameName(table.game), player: table.player }),
            );
            const state = table.is_over ? t("over") : t("{plies} plies", { plies: table.plies });
            return element("li", {}, link, element("span", { class: "state" }, state));
        });
        return element("ul", { class: "entries" }, entries);
    }

    fileList() {
        const files = [...(this.filesNow ?? [])].sort(
            (one, other) => other.is_running - one.is_running || (one.changed < other.changed ? 1 : -1),
        );
        const where = element("p", { class: "note" }, t("in {folder}", { folder: this.start.records_folder }));
        if (files.length === 0) {
            return [where, element("p", {}, t("No game is recorded there yet."))];
        }
        const list = element("ul", { class: "entries files" }, files.map(fileEntry));
        const number = this.leftOut;
        const more = number > 0 ? t("and {number} more, which the list leaves out", { number }) : "";
        return [where, list, element("p", { class: "note" }, more)];
    }
}

function fileEntry(file) {
    const { path, digest, is_running: isRunning } = file;
    const place = address(path);
    const live = isRunning ? element("a", { class: "live", href: `/watch/${place}` }, t("live: watch it")) : null;
    const name = element("a", { href: `/records/${place}` }, digest ? playersOf(digest) : path);
    const score = digest?.score
        ? element("span", { class: "score", title: scoreInWords(digest) }, digest.score.join(" / "))
        : null;
    const facts = [
        ...(digest ? [gamesOf(digest), moment(digest.date || file.changed)] : [moment(file.changed)]),
        ...(digest ? [element("span", { class: "file" }, path)] : []),
        bytes(file.bytes),
    ];
    const line = facts.flatMap((fact, number) => (number > 0 ? [" · ", fact] : [fact]));
    return element("li", {}, element("span", { class: "who" }, name, live), score, element("p", { class: "note" }, line));
}

// Who plays in a file; where one of them plays in every game, that one against the others.
function playersOf({ players, number, score }) {
    const left = number - players.length;
    const more = left > 0 ? [t("{number} more", { number: left })] : [];
    const [first, ...others] = players;
    return score ? `${first} – ${[...others, ...more].join(", ")}` : [...players, ...more].join(", ");
}

function scoreInWords({ players, score: [won, drawn, lost] }) {
    return t("{player}: {won} won, {drawn} drawn, {lost} lost", { player: players[0], won, drawn, lost });
}

function gamesOf({ games, game }) {
    const fields = { number: count(games), game: game === null ? "" : gameName(game) };
    if (game === null) {
        return t("{number} games, of several kinds", fields);
    }
    return games === 1 ? t("{number} game of {game}", fields) : t("{number} games of {game}", fields);
}
