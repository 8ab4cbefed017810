// The panel of record files: lists their contents, imports a file, moves a file to the trash and back.

import { Component } from "../../view/vendor/preact.js";
import { gameName } from "../../view/games.js";
import { button, h } from "../../view/ui.js";
import { count, t, told } from "../../view/words.js";
import { ask, sendFile } from "../api.js";
import { asked, Confirming, Notice } from "./frame.js";
import { address, bytes, moment } from "./names.js";

// Properties: the answer to /api/start as `start`, the answer to /api/records as `records`, and changed(), which is
// called after a file was added or removed.
export class RecordFiles extends Component {
    state = { news: [] }; // functions, each of which draws a notice

    componentDidMount() {
        for (const kind of ["dragover", "drop"]) {
            addEventListener(kind, (event) => this.drop(event));
        }
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
        const most = this.props.start.limits.upload_bytes;
        const news = [];
        this.setState({
            news: [
                () =>
                    h(Notice, {
                        kind: "news",
                        text: t("The games of the added files are being checked by the rules …"),
                    }),
            ],
        });
        for (const file of files) {
            if (file.size > most) {
                const fields = { name: file.name, size: bytes(file.size), most: bytes(most) };
                news.push(() =>
                    h(Notice, {
                        text: t(
                            "{name} has {size}, and the server takes files of at most {most}: import it with the command dropfour import",
                            fields,
                        ),
                    }),
                );
                continue;
            }
            const answer = await asked(() => sendFile(`/api/import?name=${encodeURIComponent(file.name)}`, file));
            if (answer.refused) {
                news.push(() => h(Notice, { texts: answer.refused }));
                continue;
            }
            const way = h("a", { href: `/records/${address(answer.path)}` }, answer.path);
            news.push(() => h("p.notice", told(answer.told), " → ", way));
            if (answer.problems) {
                news.push(() => h(Notice, { texts: answer.problems }));
            }
        }
        this.setState({ news });
        this.props.changed();
    }

    async putAway(path) {
        const { refused, trash, place } = await asked(() => ask("/api/trash", { path }));
        const back = async () => {
            const answer = await asked(() => ask("/api/restore", { trash }));
            this.setState({ news: answer.refused ? [() => h(Notice, { texts: answer.refused })] : [] });
            this.props.changed();
        };
        const press = () => button(t("Put the file back"), t("Put {path} back", { path }), back);
        const shown = () => h("p.notice", t("{path} was moved to {place}. ", { path, place }), press());
        this.setState({ news: [refused ? () => h(Notice, { texts: refused }) : shown] });
        this.props.changed();
    }

    render({ start, records }, { news }) {
        const { files, left_out: leftOut = 0, is_complete: isComplete = true } = records;
        const sorted = [...files].sort(
            (one, other) => other.is_running - one.is_running || (one.changed < other.changed ? 1 : -1),
        );
        const chosen = (event) => this.putIn([...event.target.files]);
        const lacks = [
            leftOut > 0 && t("and {number} more record files, which the list leaves out", { number: leftOut }),
            !isComplete &&
                t(
                    "Not all folders were searched: there are too many folders or files, or some folders cannot be read.",
                ),
        ].filter(Boolean);
        return h(
            "section.panel.records",
            h("h2", t("Record files")),
            h("p.note", t("The list shows the files in the folder {folder}.", { folder: start.records_folder })),
            h(
                "p.adding",
                h(
                    "label.file-button",
                    t("Add a file …"),
                    h("input", { type: "file", multiple: true, onChange: chosen }),
                ),
                h(
                    "span.note",
                    t(
                        "You can also drop a file here: a replay or a match detail of Saiblo, or any other file that dropfour imports.",
                    ),
                ),
            ),
            h(
                "div.news",
                { role: "status" },
                news.map((draw) => draw()),
            ),
            h(
                "div",
                files.length > 0
                    ? h(
                          "ul.entries.files",
                          sorted.map((file) => this.entry(file)),
                      )
                    : h("p", isComplete ? t("The records folder has no recorded game yet.") : ""),
                lacks.map((text) => h("p.note", text)),
            ),
        );
    }

    entry({ path, digest, is_running: isRunning, changed, bytes: size }) {
        const place = address(path);
        const file = h("span.file", path);
        const facts = digest ? [gamesOf(digest), moment(digest.date || changed), file] : [moment(changed)];
        const line = [...facts, bytes(size)].flatMap((fact, number) => (number > 0 ? [" · ", fact] : [fact]));
        const texts = {
            act: t("Remove"),
            name: t("Remove {path}", { path }),
            question: t("Move {path} to the trash?", { path }),
            yes: t("Yes, remove the file"),
            no: t("No, keep the file"),
        };
        return h(
            "li",
            { key: path },
            h(
                "span.who",
                h("a", { href: `/records/${place}` }, digest ? playersOf(digest) : path),
                isRunning && h("a.live", { href: `/watch/${place}` }, t("watch the running games")),
            ),
            h("span.score", { title: digest?.score && scoreInWords(digest) }, digest?.score?.join(" / ") ?? ""),
            h("p.note", line),
            !isRunning && h(Confirming, { texts, act: () => this.putAway(path), isPossible: true }),
        );
    }
}

// Returns the text on who plays in a file. A player who takes part in every game is named first, against the others.
function playersOf({ players, number, score }) {
    const left = number - players.length;
    const all = left > 0 ? [...players, t("{number} more players", { number: left })] : players;
    return score ? `${all[0]} – ${all.slice(1).join(", ")}` : all.join(", ");
}

function scoreInWords({ players, score: [won, drawn, lost] }) {
    return t("{player}: {won} won, {drawn} drawn, {lost} lost", { player: players[0], won, drawn, lost });
}

function gamesOf({ games, game }) {
    const fields = { number: count(games), game: game === null ? "" : gameName(game) };
    if (game === null) {
        return t("{number} recorded games of several kinds", fields);
    }
    return games === 1 ? t("{number} game of {game}", fields) : t("{number} games of {game}", fields);
}
