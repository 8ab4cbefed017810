// The page on which a position is set up by clicks, with the values of its moves.

import { Component } from "../../view/vendor/preact.js";
import { Board } from "../../view/board.js";
import { described, gameName, gameNames } from "../../view/games.js";
import { cellsOf, singleMoves, stonesOf } from "../../view/record.js";
import { button, choice, h, tick } from "../../view/ui.js";
import { t, told } from "../../view/words.js";
import { Refusal } from "../api.js";
import { AnalysisPanel, Analyst, NO_ANALYSIS } from "../parts/analysis.js";
import { asked, Top, Troubles } from "../parts/frame.js";
import { asHash, boardOptions, BY_MOVES, fromHash, known, startOf } from "../parts/setups.js";
import { valuesByCell } from "../parts/values.js";

// Returns the position in the address, or else an empty board.
export async function firstPosition() {
    const wanted = fromHash(location.hash);
    const empty = startOf(gameNames()[0]);
    try {
        return await known(wanted ?? empty);
    } catch (error) {
        if (!(error instanceof Refusal) || error.status === 0 || wanted === null) {
            throw error;
        }
        return known(empty);
    }
}

// Properties: the `position` that is shown at first.
export class PositionPage extends Component {
    state = {
        position: this.props.position,
        before: [], // earlier positions, for going back
        changes: 0, // changes that wait for the server
        refused: null,
        tool: BY_MOVES,
        analysis: NO_ANALYSIS,
    };
    queue = Promise.resolve(); // each change waits for the server's answer to the one before it

    componentDidMount() {
        const set = (changes) => this.setState({ analysis: { ...this.state.analysis, ...changes } });
        this.analyst = new Analyst(
            () => this.state.analysis,
            set,
            () => this.state.position,
        );
        this.forceUpdate();
        addEventListener("hashchange", () => {
            const position = fromHash(location.hash);
            if (position && asHash(position) !== asHash(this.state.position)) {
                this.change(() => known(position));
            }
        });
    }

    begin(game, size) {
        this.change(() => known(startOf(game, size)));
    }

    pick = (cell) => {
        const { position: picked, tool } = this.state;
        this.change(async () => {
            const { position } = this.state;
            if (position.game !== picked.game || String(position.size) !== String(picked.size)) {
                return null;
            }
            if (tool !== BY_MOVES) {
                const changed = await known(position, { put: [cell, tool] });
                return String(changed.codes) === String(position.codes) ? null : changed;
            }
            const move = position.move_of_cell[cell];
            return position.choices.includes(move) ? known(position, { move }) : null;
        });
    };

    // Changes the position after all earlier changes. next() returns the new position, a promise of it, or null for no
    // change.
    change(next) {
        this.queueUp(async () => {
            const position = await next();
            if (position) {
                this.become(position, [...this.state.before, this.state.position]);
            }
        });
    }

    goBack = () =>
        this.queueUp(() => {
            const { before } = this.state;
            if (before.length > 0) {
                this.become(before.at(-1), before.slice(0, -1));
            }
        });

    queueUp(act) {
        this.setState({ changes: this.state.changes + 1 });
        const acting = async () => {
            this.setState({ refused: null });
            const { refused = null } = (await asked(act)) ?? {};
            this.setState({ refused, changes: this.state.changes - 1 });
        };
        this.queue = this.queue.then(acting, acting);
    }

    become(position, before) {
        const isKnown = described(position.game).setup.tools.some(([tool]) => tool === this.state.tool);
        this.setState({ position, before, tool: isKnown ? this.state.tool : BY_MOVES });
        try {
            history.replaceState(null, "", asHash(position));
        } catch {
            // the browser refuses too many changes of the address in a short time
        }
        this.analyst.look();
    }

    render(_, { position, before, changes, refused, tool, analysis }) {
        document.title = `${t("Set up a position")} · dropfour`;
        const lost = analysis.isLost && t("The connection to the server is lost, and the page tries to connect again.");
        const { setup } = described(position.game);
        const tools = [
            [BY_MOVES, t("makes the next move")],
            ...setup.tools.map(([code, texts]) => [code, told(texts)]),
        ];
        const radios = tools.map(([code, name]) => {
            const use = () => this.setState({ tool: code });
            return tick(name, code === tool, use, { type: "radio", name: "tool", value: code });
        });
        const anew = () => this.begin(position.game, position.size);
        const isBack = { disabled: before.length === 0 };
        const board = { position: this.shown(), pick: this.pick, isPickable: true, takesAll: true };
        return h(
            "main.setting-up",
            h(Top),
            h(Troubles, { lines: [lost || (refused && told(refused))] }),
            h(
                "section.game",
                { "data-face": described(position.game).face, "aria-busy": changes > 0 },
                h("div.title", h("h2", t("Set up a position"))),
                h("div.fields", this.fields(setup)),
                h(
                    "div.columns",
                    h("div.left", h(Board, board)),
                    h(
                        "div.right",
                        h(
                            "div",
                            h("fieldset.tools-to-set", h("legend", t("What a click does")), radios),
                            h(
                                "div.actions",
                                button(
                                    t("Undo the change"),
                                    t("undo the last change of the position"),
                                    this.goBack,
                                    isBack,
                                ),
                                button(t("Empty the board"), t("go back to the board with which a game begins"), anew),
                            ),
                        ),
                        h(AnalysisPanel, { analysis, analyst: this.analyst, wrong: told(position.wrong) }),
                        h("div.onwards", changes === 0 && onwards(position)),
                    ),
                ),
            ),
        );
    }

    // Returns the fields for the game, its size and who is to move.
    fields({ sides: [least, most], is_square: isSquare }) {
        const { position } = this.state;
        const { game, size, mover } = position;
        const games = gameNames().map((name) => [name, gameName(name)]);
        const sides = Array.from({ length: most - least + 1 }, (_, step) => [
            String(least + step),
            String(least + step),
        ]);
        const resized = (...wished) => this.begin(game, wished.map(Number));
        const players = Object.entries({ 0: t("the first player"), 1: t("the second player") });
        const named = mover === "-" ? [["-", t("nobody: the game is over")], ...players] : players;
        const giveTurn = (side) => side !== "-" && this.change(() => known({ ...position, mover: side, moves: null }));
        const lengths = isSquare
            ? [choice(t("rows and columns"), sides, String(size[0]), (side) => resized(side, side))]
            : [
                  choice(t("rows"), sides, String(size[0]), (rows) => resized(rows, size[1])),
                  choice(t("columns"), sides, String(size[1]), (columns) => resized(size[0], columns)),
              ];
        return [
            choice(t("which game"), games, game, (name) => this.begin(name)),
            ...lengths,
            choice(t("the player to move"), named, mover, giveTurn),
        ];
    }

    // Returns the position as Board shows it.
    shown() {
        const { position, tool } = this.state;
        const { found, showsLine } = this.state.analysis;
        const { game, size, codes, choices, move_of_cell: moves } = position;
        const expected = found && showsLine ? singleMoves(position, found.pv) : [];
        return {
            game,
            size,
            moves,
            codes,
            names: { 0: t("the first player"), 1: t("the second player") },
            placed: new Map(),
            last: null,
            line: [],
            ghosts: stonesOf(position, codes, expected, found?.expected ?? ""),
            choices: tool === BY_MOVES ? new Set(cellsOf(position, codes, choices)) : undefined,
            values: found && !showsLine ? valuesByCell(position, codes, found) : undefined,
        };
    }
}

// Returns the link that begins a game from a position, or why there is none.
function onwards(position) {
    const { game, moves } = position;
    const board = boardOptions(position);
    const text =
        moves === null
            ? t("To begin a game from this position, reach it from an empty board by moves of both sides in turn.")
            : board === null
              ? t("To begin a game from this position, put a forbidden cell on the board.")
              : told(position.wrong) && t("The game is over.");
    const wished = new URLSearchParams({ game, ...board, moves: (moves ?? []).join(" ") });
    return text ? h("p.note", text) : h("a.play-from-here", { href: `/?${wished}` }, t("Play from this position"));
}
