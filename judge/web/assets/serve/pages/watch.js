// The page of a record file to which games are being added: the games played now, and the totals of all games so far.

import { Component } from "../../view/vendor/preact.js";
import { Score } from "../../view/counts.js";
import { GameList, listed, USUAL_LIST } from "../../view/list.js";
import { readRow, readRows, resultOf } from "../../view/rows.js";
import { llrPart, ratingPart } from "../../view/statistics.js";
import { h } from "../../view/ui.js";
import { count, t, told } from "../../view/words.js";
import { Connection } from "../connection.js";
import { LiveCard } from "../parts/cards.js";
import { now, Ticking } from "../parts/clock.js";
import { Top, Troubles } from "../parts/frame.js";
import { addRow, extend } from "../parts/live_game.js";
import { Pace } from "../parts/pace.js";

const LIST_MS = 400; // the shortest interval between two drawings of the list
const SHOWN_AFTER_S = 20; // how long a finished game is shown if no other game takes its place

// Properties: the `place` of the record file, as in its address.
export class WatchPage extends Component {
    // data: the summary, or null before the first, and its totals; list: the result of listed(); games: the games that are
    // shown, each as LiveCard has it and with endedAt, the time at which it ended, or null; line: the state of the
    // connection; damage: the error in the file; error: what the server has refused; these by language, or null.
    state = { data: null, totals: {}, list: null, games: [], is_running: false, line: "", damage: null, error: null };
    rows = [];
    pace = new Pace(now());

    componentDidMount() {
        this.connection = new Connection(`/ws/follow/${this.props.place}`, {
            heard: ({ type, ...message }) => {
                const take = this[`on_${type}`] ?? this.setState;
                take.call(this, message);
            },
            changed: (line) => this.setState(line === "open" ? { line, error: null } : { line }),
            mayCome: true,
        });
        setInterval(() => this.clear(), 1000);
    }

    // Takes a summary, which replaces all data: at the first message, and when earlier data is void.
    on_summary({ summary: data, ends, live, is_running, damage }) {
        const before = this.state.data ? this.rows.length : null;
        this.rows = readRows(data.list);
        if (before === null) {
            const clock = Date.now() / 1000; // the records' clock, not the pace's
            this.pace.seed(
                ends.map((end) => clock - end),
                now(),
            );
        }
        for (let missed = before ?? this.rows.length; missed < this.rows.length; missed += 1) {
            this.pace.add(now());
        }
        const settings = { ...USUAL_LIST, isDescending: true }; // the latest game comes first
        const list = listed(this.rows, settings);
        this.setState({ data, totals: data.totals, list, games: live.map(begun), is_running, damage });
    }

    // A game has begun, or a known game has its complete data. A new game takes the place of a finished one.
    on_begun({ live }) {
        const { games } = this.state;
        const free = games.filter((game) => game.endedAt !== null).sort((one, other) => one.endedAt - other.endedAt)[0];
        const old = games.find((game) => game.id === live.id) ?? free;
        this.setState({
            games: old ? games.map((game) => (game === old ? begun(live) : game)) : [...games, begun(live)],
        });
    }

    // Adds moves. Moves that come faster than the screen is drawn are shown together.
    on_moved(message) {
        const live = this.state.games.find((game) => game.id === message.id);
        if (!live || !extend(live.game, message)) {
            this.connection.restart(); // messages were missed
            return;
        }
        this.frame ??= requestAnimationFrame(() => {
            this.frame = null;
            const isNew = ({ plies, game }) => plies < game.moves.length;
            const shown = (each) => (isNew(each) ? { ...each, plies: each.game.moves.length, since: now() } : each);
            this.setState({ games: this.state.games.map(shown) });
        });
    }

    on_dropped({ id }) {
        this.setState({ games: this.state.games.filter((game) => game.id !== id) });
    }

    on_ended(message) {
        addRow(this.state.data.list, message);
        const row = readRow(this.state.data.list, this.rows.length);
        this.rows.push(row);
        this.pace.add(now());
        const end = (game) =>
            game.id === message.id && game.endedAt === null
                ? { ...game, ending: resultInWords(row), endedAt: now() }
                : game;
        this.setState({ games: this.state.games.map(end) });
        this.timer ??= setTimeout(() => {
            this.timer = null;
            this.setList({});
        }, LIST_MS);
    }

    // Removes the games that ended some time ago.
    clear() {
        const isOld = ({ endedAt }) => endedAt !== null && now() - endedAt > SHOWN_AFTER_S;
        if (this.state.games.some(isOld)) {
            this.setState({ games: this.state.games.filter((game) => !isOld(game)) });
        }
    }

    setList = (changes) => this.setState({ list: listed(this.rows, { ...this.state.list, ...changes }) });

    open = (index) => {
        location.href = `/records/${this.props.place}#g${index + 1}`;
    };

    render({ place }, { data, totals, list, games, is_running: isRunning, line, damage, error }) {
        const name = decodeURIComponent(place);
        const address = `/records/${place}`;
        document.title = `${name} · dropfour`;
        const lost = {
            lost: t("The connection to the server is lost, and the page tries to connect again."),
            gone: t("This record file does not exist now, and the page looks for it again."),
        }[line];
        const isLive = line === "open" && isRunning;
        const badge = !data || (isRunning && !isLive) ? "" : isLive ? t("a run is going on") : t("no run is going on");
        const { llr, ratings } = totals;
        const rows = { data, rows: this.rows, list, set: this.setList, current: -1, open: this.open, address };
        return h(
            "main.watch",
            h(Top, { name }),
            h(Troubles, { lines: [line !== "gone" && error && told(error), damage && told(damage), lost] }),
            h(
                "section.panel.so-far",
                h(
                    "div.watch-heading",
                    h("h2", t("Results so far")),
                    h("span.badge", { class: isLive ? "live" : null, role: "status" }, badge),
                ),
                h("dl.facts-so-far", data && this.facts(totals)),
                h("div.llr-so-far", llr && llrPart(llr), ratings && ratingPart(ratings)),
            ),
            h(
                "section.live-games",
                { "aria-label": t("games being played") },
                games.length === 0 && h("p.none-now", t("No game is being played now.")),
                games.map((live, number) => h(LiveCard, { key: number, live })),
            ),
            h(
                "nav.ways-on",
                { "aria-label": t("other pages about this record file") },
                h("a", { href: address }, t("look at the finished games")),
                h("a", { href: `${address}#statistics` }, t("statistics of all games")),
            ),
            h("div.games-so-far", data && h(GameList, rows)),
        );
    }

    facts({ strength, llr }) {
        const score = new Score();
        const judged = this.rows.filter((row) => row.ending !== "VOID");
        judged.forEach((row) => score.add(resultOf(row, "A")));
        const { won, drawn, lost } = score;
        const voids = this.rows.length - judged.length;
        const bounds = () => llr.bounds.map((bound) => bound.toFixed(2)).join(" … ");
        const facts = [
            ["number", t("games"), count(this.rows.length)],
            ["pace", t("games per minute"), h(Ticking, { draw: () => this.paceInWords() })],
            voids > 0 && ["void", t("VOID games"), count(voids)],
            strength && ["score", t("A's games won / drawn / lost"), `${won} / ${drawn} / ${lost}`],
            strength && ["elo", "Elo", strength.told],
            llr && ["llr-now", "LLR", `${llr.points.at(-1)[1].toFixed(2)} (${bounds()})`],
        ];
        return facts.filter(Boolean).map(([kind, name, text]) => {
            const title = kind === "pace" ? t("measured over the games of the last five minutes") : null;
            return h("div", { "data-fact": kind }, h("dt", name), h("dd", { title }, text));
        });
    }

    paceInWords() {
        const pace = this.pace.perMinute(now());
        return pace === null ? "–" : pace.toFixed(pace < 10 ? 1 : 0);
    }
}

// Returns a game that has begun, as the page's state has it.
function begun({ id, index, game }) {
    return { id, index, game, plies: game.moves.length, since: now(), ending: "", endedAt: null };
}

// Returns in a few words how a game of the list has ended.
function resultInWords(row) {
    if (row.ending === "VOID") {
        return t("VOID");
    }
    const side = `${row.winner} (${row.names[row.winner]})`;
    const result = row.winner === null ? t("A draw") : t("{side} wins", { side });
    return row.ending === "NORMAL" ? result : `${result}: ${t(row.ending)}`;
}
