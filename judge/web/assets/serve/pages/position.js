// The page on which a position is set up by clicks, with the values of its moves.

import { button, choice, element } from "../../view/dom.js";
import { cellsOf, singleMoves, stonesOf } from "../../view/record.js";
import { gameName, t, told } from "../../view/words.js";
import { Refusal } from "../api.js";
import { AnalysisPanel } from "../parts/analysis_panel.js";
import { notice } from "../parts/notice.js";
import { PickableBoard } from "../parts/pickable_board.js";
import { asHash, BY_MOVES, changedByHand, fromHash, known, SETUPS, startOf } from "../parts/setups.js";
import { valuesByCell } from "../parts/values.js";
import { top } from "../top.js";

export async function positionPage(root) {
    const page = new PositionPage(root);
    await page.open();
}

class PositionPage {
    constructor(root) {
        this.root = root;
        this.before = []; // earlier positions, for going back
        this.queue = Promise.resolve(); // changes, each of which waits for the server's answer to the one before it
        this.changes = 0; // the number of changes in the queue
        this.refused = null;
        this.tool = BY_MOVES;
        this.board = new PickableBoard((cell) => this.pick(cell), true);
        this.panel = new AnalysisPanel(() => this.show());
    }

    async open() {
        this.position = await this.first();
        this.build();
        this.panel.open();
        addEventListener("hashchange", () => {
            const position = fromHash(location.hash);
            if (position && asHash(position) !== asHash(this.position)) {
                this.change(() => known(position));
            }
        });
    }

    // Shows the position in the address, or else an empty board.
    async first() {
        const wanted = fromHash(location.hash);
        const empty = startOf("connect_four", SETUPS.connect_four.usual);
        try {
            return await known(wanted ?? empty);
        } catch (error) {
            if (!(error instanceof Refusal) || error.status === 0 || wanted === null) {
                throw error;
            }
            return known(empty);
        }
    }

    // Builds the whole page, at first and after a change of the language.
    build() {
        document.title = `${t("Set up a position")} · dropfour`;
        this.trouble = element("div", { class: "troubles" });
        this.fields = element("div", { class: "fields" });
        this.tools = element("fieldset", { class: "tools-to-set" });
        this.actions = element("div", { class: "actions" });
        this.onwards = element("div", { class: "onwards" });
        const left = element("div", { class: "left" }, this.board.element);
        const setting = element("div", {}, this.tools, this.actions);
        const right = element("div", { class: "right" }, setting, this.panel.element, this.onwards);
        this.root.classList.add("setting-up");
        this.root.replaceChildren(
            top("", null, () => this.build()),
            this.trouble,
            element(
                "section",
                { class: "game" },
                element("div", { class: "title" }, element("h2", {}, t("Set up a position"))),
                this.fields,
                element("div", { class: "columns" }, left, right),
            ),
        );
        this.buildFields();
        this.panel.wrong = this.wrong();
        this.panel.position = this.position;
        this.panel.build();
        this.show();
    }

    // Builds the fields for the game, its size and who is to move, and the tools that the game has.
    buildFields() {
        const { game, size, mover } = this.position;
        const players = [
            ["0", t("the first player")],
            ["1", t("the second player")],
        ];
        const named = mover === "-" ? [["-", t("nobody: the game is over")], ...players] : players;
        this.fields.replaceChildren(
            choice(
                t("which game"),
                Object.keys(SETUPS).map((name) => [name, gameName(name)]),
                game,
                (name) => this.begin(name, SETUPS[name].usual),
            ),
            ...this.lengths(SETUPS[game], size),
            choice(t("to move"), named, mover, (side) => side !== "-" && this.giveTurn(side)),
        );
        this.buildTools();
        this.buildActions();
    }

    lengths(setup, size) {
        const [least, most] = setup.sides;
        const sides = [...Array(most - least + 1).keys()].map((step) => [String(least + step), String(least + step)]);
        const resize = (...wished) => this.begin(this.position.game, wished.map(Number));
        return setup.isSquare
            ? [choice(t("rows and columns"), sides, String(size[0]), (side) => resize(side, side))]
            : [
                  choice(t("rows"), sides, String(size[0]), (rows) => resize(rows, size[1])),
                  choice(t("columns"), sides, String(size[1]), (columns) => resize(size[0], columns)),
              ];
    }

    buildTools() {
        const all = [[BY_MOVES, t("moves, in turn")], ...SETUPS[this.position.game].tools()];
        if (!all.some(([tool]) => tool === this.tool)) {
            this.tool = BY_MOVES;
        }
        const entries = all.map(([tool, name]) => {
            const use = () => {
                this.tool = tool;
                this.show();
            };
            const input = element("input", { type: "radio", name: "tool", value: tool, change: use });
            input.checked = tool === this.tool;
            return element("label", { class: "tick" }, input, element("span", {}, name));
        });
        this.tools.replaceChildren(element("legend", {}, t("A click sets")), ...entries);
    }

    buildActions() {
        this.back = button(t("Back"), t("undo the last change"), () => this.goBack());
        const anew = button(t("Clear"), t("the board as a game begins with it"), () =>
            this.begin(this.position.game, this.position.size),
        );
        this.actions.replaceChildren(this.back, anew);
    }

    begin(game, size) {
        this.change(() => known(startOf(game, size)));
    }

    giveTurn(mover) {
        this.change(() => known({ ...this.position, mover, moves: null }));
    }

    pick(cell) {
        const { position, tool } = this;
        this.change(() => {
            if (!isOnSameBoard(position, this.position)) {
                return null;
            }
            if (tool !== BY_MOVES) {
                const changed = changedByHand(this.position, cell, tool);
                return changed && known(changed);
            }
            const move = this.position.move_of_cell[cell];
            return this.position.choices.includes(move) ? known(this.position, move) : null;
        });
    }

    // Changes the position after all earlier changes. next() returns the new position, a promise of it, or null for no
    // change.
    change(next) {
        this.queueUp(async () => {
            const position = await next();
            if (position) {
                this.before.push(this.position);
                this.become(position);
            }
        });
    }

    goBack() {
        this.queueUp(() => {
            if (this.before.length > 0) {
                this.become(this.before.pop());
            }
        });
    }

    queueUp(act) {
        this.changes += 1;
        this.show();
        const acting = async () => {
            this.refused = null;
            try {
                await act();
            } catch (error) {
                if (!(error instanceof Refusal)) {
                    throw error;
                }
                this.refused = error.texts;
            } finally {
                this.changes -= 1;
                this.show();
            }
        };
        this.queue = this.queue.then(acting, acting);
    }

    become(position) {
        const { game, size, mover } = this.position;
        this.position = position;
        try {
            history.replaceState(null, "", asHash(position));
        } catch {
            // the browser refuses too many changes of the address in a short time
        }
        if (!isOnSameBoard({ game, size }, position) || mover !== position.mover) {
            this.rebuildFields();
        }
        this.panel.look(position, this.wrong());
    }

    // Builds the fields anew. The field that has the focus keeps it.
    rebuildFields() {
        const all = () => [...this.root.querySelectorAll(".fields select, .tools-to-set input, .actions button")];
        const place = all().indexOf(document.activeElement);
        this.buildFields();
        all()[place]?.focus();
    }

    // Returns why this position can have no values, or "" if it can.
    wrong() {
        return told(this.position.wrong);
    }

    show() {
        const { position } = this;
        const { analysis, showsLine, isLost } = this.panel;
        const { game, size, codes, choices } = position;
        const expected = analysis && showsLine ? singleMoves(game, analysis.pv) : [];
        const section = this.root.querySelector(".game");
        section.dataset.game = game;
        section.setAttribute("aria-busy", String(this.changes > 0));
        this.board.show({
            game,
            size,
            codes,
            names: { 0: t("the first player"), 1: t("the second player") },
            placed: new Map(),
            last: null,
            line: [],
            numbers: false,
            hints: [],
            ghosts: stonesOf(position, codes, expected, analysis?.expected ?? ""),
            choices: this.tool === BY_MOVES ? new Set(cellsOf(position, codes, choices)) : undefined,
            values: analysis && !showsLine ? valuesByCell(position, codes, analysis) : undefined,
        });
        this.back.disabled = this.before.length === 0;
        this.showOnwards();
        const lost = isLost ? t("The connection to the server is lost; it is tried again.") : "";
        const text = lost || (this.refused ? told(this.refused) : "");
        if (this.trouble.textContent !== text) {
            this.trouble.replaceChildren(...(text ? [notice(text, "trouble")] : []));
        }
    }

    // Shows the link that begins a game from this position.
    showOnwards() {
        if (this.changes > 0) {
            this.onwards.replaceChildren();
            return;
        }
        const { game, size, codes, moves } = this.position;
        const board = SETUPS[game].board(size, codes);
        let text = "";
        if (moves === null) {
            text = t("A game can begin here if moves in turn have led here from an empty board.");
        } else if (board === null) {
            text = t("A game can begin here once the board has a forbidden cell.");
        } else if (this.wrong()) {
            text = t("The game is over.");
        }
        const wished = new URLSearchParams({ game, ...board, moves: (moves ?? []).join(" ") });
        const way = element("a", { class: "play-from-here", href: `/?${wished}` }, t("Play from here"));
        this.onwards.replaceChildren(text ? element("p", { class: "note" }, text) : way);
    }
}

function isOnSameBoard(one, other) {
    return one.game === other.game && String(one.size) === String(other.size);
}
