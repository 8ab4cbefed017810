// The panel of record files: lists their contents, imports a file, moves a file to the trash and back.

import { button, element, withFocusKept } from "../../view/dom.js";
import { count, gameName, t, told } from "../../view/words.js";
import { ask, Refusal, sendFile } from "../api.js";
import { Confirming } from "./confirming.js";
import { address, bytes, moment } from "./names.js";
import { notice } from "./notice.js";

export class RecordFiles {
    // start: the answer to /api/start. Calls changed() after a file was added or removed.
    constructor(start, changed) {
        Object.assign(this, { start, changed });
        this.element = element("section", { class: "panel records" });
        this.list = element("div", {});
        this.news = element("div", { class: "news", role: "status" });
        this.removing = new Map(); // buttons by path: one that is asking stays as it is when the list is built anew
        for (const kind of ["dragover", "drop"]) {
            addEventListener(kind, (event) => this.drop(event));
        }
    }

    // Builds the whole panel, at first and after a change of the language.
    build() {
        const input = element("input", { type: "file", multiple: true, change: () => this.putIn([...input.files]) });
        const adding = element(
            "p",
            { class: "adding" },
            element("label", { class: "file-button" }, t("Add a file …"), input),
            element("span", { class: "note" }, t("or drop it here: a replay or a match detail of Saiblo, or any other file that dropfour imports")),
        );
        const where = element("p", { class: "note" }, t("in {folder}", { folder: this.start.records_folder }));
        this.removing.clear();
        this.element.replaceChildren(element("h2", {}, t("Records")), where, adding, this.news, this.list);
    }

    // Shows the server's list: its files, how many others it leaves out, and whether all folders were searched.
    show({ files, left_out: leftOut = 0, is_complete: isComplete = true }) {
        const sorted = [...files].sort(
            (one, other) => other.is_running - one.is_running || (one.changed < other.changed ? 1 : -1),
        );
        const lacks = [
            leftOut > 0 && t("and {number} more, which the list leaves out", { number: leftOut }),
            !isComplete && t("Not all folders were searched: there are too many folders or files, or they cannot be read."),
        ];
        const notes = lacks.filter(Boolean).map((note) => element("p", { class: "note" }, note));
        const list =
            files.length === 0
                ? element("p", {}, isComplete ? t("No game is recorded there yet.") : "")
                : element(
                      "ul",
                      { class: "entries files" },
                      sorted.map((file) => this.entry(file)),
                  );
        withFocusKept(this.list, () => this.list.replaceChildren(list, ...notes));
    }

    entry(file) {
        const { path, digest, is_running: isRunning } = file;
        const place = address(path);
        const live = isRunning ? element("a", { class: "live", href: `/watch/${place}` }, t("live: watch it")) : null;
        const name = element("a", { href: `/records/${place}` }, digest ? playersOf(digest) : path);
        const title = digest?.score ? scoreInWords(digest) : null;
        const score = element("span", { class: "score", title }, digest?.score?.join(" / ") ?? "");
        const facts = digest
            ? [gamesOf(digest), moment(digest.date || file.changed), element("span", { class: "file" }, path)]
            : [moment(file.changed)];
        const line = [...facts, bytes(file.bytes)].flatMap((fact, number) => (number > 0 ? [" · ", fact] : [fact]));
        return element(
            "li",
            {},
            element("span", { class: "who" }, name, live),
            score,
            element("p", { class: "note" }, line),
            isRunning ? null : this.remover(path),
        );
    }

    remover(path) {
        const texts = () => ({
            act: t("Remove"),
            name: t("Remove {path}", { path }),
            question: t("Move {path} to the trash?", { path }),
            yes: t("Yes, remove"),
            no: t("No, keep it"),
        });
        const known = this.removing.get(path) ?? new Confirming(texts, () => this.putAway(path));
        this.removing.set(path, known);
        known.show(true);
        return known.element;
    }

    drop(event) {
        if ([...(event.dataTransfer?.types ?? [])].includes("Files")) {
            event.preventDefault(); // else the browser opens the file instead of this page
            if (event.type === "drop") {
                this.putIn([...event.dataTransfer.files]);
            }
        }
    }

    async putIn(files) {
        const most = this.start.limits.upload_bytes;
        this.news.replaceChildren(notice(t("The games are judged again …"), "news"));
        const notices = [];
        for (const file of files) {
            if (file.size > most) {
                const fields = { name: file.name, size: bytes(file.size), most: bytes(most) };
                notices.push(notice(t("{name} has {size}: at most {most} are taken", fields), "trouble"));
                continue;
            }
            const answer = await asked(() => sendFile(`/api/import?name=${encodeURIComponent(file.name)}`, file));
            if (answer.refused) {
                notices.push(answer.refused);
                continue;
            }
            const way = element("a", { href: `/records/${address(answer.path)}` }, answer.path);
            notices.push(element("p", { class: "notice" }, told(answer.told), " → ", way));
            if (answer.problems) {
                notices.push(notice(told(answer.problems), "trouble"));
            }
        }
        this.news.replaceChildren(...notices);
        this.changed();
    }

    async putAway(path) {
        const answer = await asked(() => ask("/api/trash", { path }));
        const back = () => this.putBack(answer.trash);
        const text = answer.refused ? "" : t("{path} is in {place} now. ", { path, place: answer.place });
        const press = button(t("Put it back"), t("Put {path} back", { path }), back);
        this.news.replaceChildren(answer.refused ?? element("p", { class: "notice" }, text, press));
        this.removing.delete(path);
        this.changed();
    }

    async putBack(trash) {
        const answer = await asked(() => ask("/api/restore", { trash }));
        this.news.replaceChildren(...(answer.refused ? [answer.refused] : []));
        this.changed();
    }
}

// Returns the result of question(), or {refused: a notice} if the server refuses.
async function asked(question) {
    try {
        return await question();
    } catch (error) {
        if (!(error instanceof Refusal)) {
            throw error;
        }
        return { refused: notice(told(error.texts), "trouble") };
    }
}

// Returns the text on who plays in a file. A player who takes part in every game is named first, against the others.
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
