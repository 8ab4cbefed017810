// The page of recorded games: a game, the list and the statistics beside it, and the effect of keys and links.

import { Component } from "./vendor/preact.js";
import { GameView } from "./game_view.js";
import { gameName } from "./games.js";
import { beside, GameList, listed, USUAL_LIST } from "./list.js";
import { lastPly } from "./record.js";
import { readRows } from "./rows.js";
import { Statistics } from "./statistics.js";
import { button, Header, h } from "./ui.js";
import { t, told } from "./words.js";

const PLACE = /^#g(\d{1,9})(?:m(\d{1,9}))?$/;
const MOST_FILES = 3; // files that the title names
const STATISTICS = "#statistics";
const REST_MS = 100; // how long a place rests before it is written into the address
const PLAY_MS = 700; // how long each ply is shown while the game is played back

// Properties: `data`, the result of summary_json() in judge/web/record_page.py for at least one game; gameAt(index),
// which returns a promise of a game's JSON; `home`, the address of the first page, and ways(), which returns what stands
// in the header besides, if there are any; and ready(promise), which is called with the promise of the first board.
export class RecordsPage extends Component {
    constructor(properties) {
        super(properties);
        this.rows = readRows(properties.data.list);
        this.state = {
            game: null,
            index: -1,
            ply: 0,
            isPlaying: false,
            isCounting: false,
            hasList: false, // the list is drawn after the first board, which may be seen before
            ticks: { numbers: true, hints: false, variation: false },
            list: listed(this.rows, USUAL_LIST),
        };
        this.asked = 0; // the number of games that were asked for
    }

    componentDidMount() {
        this.props.ready(this.begin());
    }

    async begin() {
        await this.goTo(location.hash);
        performance.mark("the first board stands");
        await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
        this.setState({ hasList: this.rows.length > 1 });
        addEventListener("hashchange", () => this.goTo(location.hash));
        addEventListener("keydown", (event) => this.press(event));
    }

    // Goes where a link leads: to a game and a ply, or to the game's last ply if the link names none. Any other link
    // leads to the first game.
    async goTo(hash) {
        const place = PLACE.exec(hash);
        this.setState({ isCounting: hash === STATISTICS && this.rows.length > 1 });
        const { index: before, ply: plyBefore } = this.state;
        const named = place && Math.min(Math.max(1, Number(place[1])), this.rows.length) - 1;
        const index = named ?? (before < 0 ? this.props.data.first : before);
        const ply = place?.[2] === undefined ? null : Number(place[2]);
        if (index !== before || (place && ply !== plyBefore)) {
            await this.open(index, ply);
        }
    }

    // Shows a game, at its last position if `ply` is null.
    async open(index, ply, more) {
        this.asked += 1;
        const request = this.asked;
        const game = await this.props.gameAt(index);
        if (request === this.asked) {
            // else another game was asked for meanwhile
            this.stop();
            const last = lastPly(game);
            this.setState({ game, index, ply: Math.min(Math.max(0, ply ?? last), last), ...more });
        }
    }

    choose = async (index) => {
        await this.open(index, null, { isCounting: false });
        this.writePlace();
    };

    beside(step) {
        const index = beside(this.state.list, this.state.index, step);
        if (index !== null) {
            this.choose(index);
        }
    }

    go = (ply) => {
        this.stop();
        this.step(ply);
    };

    step(ply) {
        this.setState({ ply: Math.min(Math.max(0, ply), lastPly(this.state.game)) });
        this.writePlace();
    }

    toggle = () => {
        if (this.state.isPlaying) {
            this.stop();
            return;
        }
        const isAtEnd = () => this.state.ply === lastPly(this.state.game);
        if (isAtEnd()) {
            this.step(0);
        }
        this.setState({ isPlaying: true });
        this.timer = setInterval(() => {
            this.step(this.state.ply + 1);
            if (isAtEnd()) {
                this.stop();
            }
        }, PLAY_MS);
    };

    stop() {
        clearInterval(this.timer);
        if (this.state.isPlaying) {
            this.setState({ isPlaying: false });
        }
    }

    count(isCounting) {
        this.stop();
        this.setState({ isCounting });
        this.writePlace();
    }

    setList = (changes) => this.setState({ list: listed(this.rows, { ...this.state.list, ...changes }) });

    place() {
        return `#g${this.state.index + 1}m${this.state.ply}`;
    }

    // Writes the place into the address once it has rested: a change takes the browser longer than drawing a ply, and it
    // refuses too many in a short time.
    writePlace() {
        clearTimeout(this.writing);
        this.writing = setTimeout(() => {
            try {
                history.replaceState(null, "", this.state.isCounting ? STATISTICS : this.place());
            } catch {
                // The browser refuses any change of the address of a local file.
            }
        }, REST_MS);
    }

    press(event) {
        const target = event.target instanceof Element ? event.target : document.body;
        const isTyping = target.matches("select, textarea, input:not([type=checkbox]):not([type=range])");
        if (event.ctrlKey || event.metaKey || event.altKey || isTyping || this.state.isCounting) {
            return;
        }
        const { ply, game } = this.state;
        const keys = {
            ArrowRight: () => this.go(ply + 1),
            ArrowLeft: () => this.go(ply - 1),
            Home: () => this.go(0),
            End: () => this.go(lastPly(game)),
            " ": this.toggle,
            n: () => this.beside(1),
            p: () => this.beside(-1),
            m: () => this.base.querySelector(".jump").select(),
        };
        const isPressing = event.key === " " && target.matches("button, summary, input, a");
        if (keys[event.key] && !isPressing) {
            event.preventDefault();
            keys[event.key]();
        }
    }

    render({ data, home, ways }, { game, index, ply, isPlaying, isCounting, hasList, ticks, list }) {
        const { files } = data;
        const name =
            files.length > MOST_FILES ? t("{number} record files", { number: files.length }) : files.join(", ");
        const isMany = this.rows.length > 1;
        document.title = `${name} · dropfour`;
        const tab = (text, isOn) =>
            h("button", { type: "button", "aria-pressed": isOn === isCounting, onClick: () => this.count(isOn) }, text);
        const tabs = isMany && h("nav.tabs", tab(t("Games"), false), tab(t("Statistics"), true));
        const help = t(
            "Keys: ← and → go back and on by a ply, Home and End go to the first and the last position, space replays the moves, n and p show the next and the previous game, m jumps to a ply",
        );
        const { go, toggle } = this;
        const view = { game, ply, ticks, isPlaying, number: index, link: this.place(), go, toggle };
        view.set = (tick, value) => this.setState({ ticks: { ...ticks, [tick]: value } });
        return (
            game &&
            h(
                "main",
                { class: [isMany && "many", isCounting && "counting"].filter(Boolean).join(" ") },
                h(Header, { name, home }, ways ? h("div.middle", ways(), tabs) : tabs),
                h(GameView, { ...view, heading: this.heading(game) }),
                hasList &&
                    h(GameList, { data, rows: this.rows, list, set: this.setList, current: index, open: this.choose }),
                h("div.totals", isCounting && h(Statistics, { data, rows: list.found })),
                h("footer.help", help),
            )
        );
    }

    heading(game) {
        const { files, list } = this.props.data;
        const row = this.rows[this.state.index];
        const isMany = this.rows.length > 1;
        const title = t("Game {number} of {total}", { number: row.index + 1, total: this.rows.length });
        const facts = [
            list.boards.some((board) => board.game !== game.game) && gameName(game.game),
            told(game.board),
            game.limit !== null && t("at most {limit} s per move", { limit: game.limit }),
            game.started.slice(0, 10),
            files.length > 1 && `${files[row.file]}, ${t("game {number}", { number: row.number })}`,
        ];
        return h(
            "div.heading",
            isMany && button("‹", t("previous game"), () => this.beside(-1)),
            h("div.title", h("h2", isMany ? title : t("A recorded game")), h("p", facts.filter(Boolean).join(" · "))),
            isMany && button("›", t("next game"), () => this.beside(1)),
        );
    }
}
