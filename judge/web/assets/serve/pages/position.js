// A position set up by clicks, and what its moves are worth.

import { GAMES } from "../../view/board.js";
import { button, choice, element } from "../../view/dom.js";
import { gameName, t } from "../../view/words.js";
import { AnalysisPanel } from "../parts/analysis_panel.js";
import { notice } from "../parts/notice.js";
import { PickableBoard } from "../parts/pickable_board.js";
import { valuesByCell } from "../parts/values.js";
import { asHash, BY_MOVES, changed, choices, fromHash, SETUPS, startOf, withMover } from "../setups/position.js";
import { top } from "../top.js";

export async function positionPage(root) {
    new PositionPage(root).open();
}

class PositionPage {
    constructor(root) {
        this.root = root;
        this.position = fromHash(location.hash) ?? startOf("connect_four", SETUPS.connect_four.usual);
        this.before = []; // positions to go back to
        this.tool = BY_MOVES;
        this.board = new PickableBoard((cell) => this.pick(cell), true);
        this.panel = new AnalysisPanel(() => this.show());
    }

    open() {
        this.build();
        this.panel.open();
        addEventListener("hashchange", () => {
            const position = fromHash(location.hash);
            if (position && asHash(position) !== asHash(this.position)) {
                this.change(position);
            }
        });
    }

    // The whole page, as for another language.
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

    // The game, its size and who is to move; the tools that the game has.
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
                (name) => this.change(startOf(name, SETUPS[name].usual)),
            ),
            ...this.lengths(SETUPS[game], size),
            choice(t("to move"), named, mover, (side) => side !== "-" && this.change(withMover(this.position, side))),
        );
        this.buildTools();
        this.buildActions();
    }

    lengths(setup, size) {
        const [least, most] = setup.sides;
        const sides = [...Array(most - least + 1).keys()].map((step) => [String(least + step), String(least + step)]);
        const resize = (...wished) => this.change(startOf(this.position.game, wished.map(Number)));
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
            this.change(startOf(this.position.game, this.position.size)),
        );
        this.actions.replaceChildren(this.back, anew);
    }

    pick(cell) {
        const after = changed(this.position, cell, this.tool);
        if (after) {
            this.change(after);
        }
    }

    change(position) {
        this.before.push(this.position);
        this.become(position);
    }

    goBack() {
        if (this.before.length > 0) {
            this.become(this.before.pop());
        }
    }

    become(position) {
        const { game, size, mover } = this.position;
        this.position = position;
        try {
            history.replaceState(null, "", asHash(position));
        } catch {
            // too many in a short time
        }
        if (game !== position.game || String(size) !== String(position.size) || mover !== position.mover) {
            this.rebuildFields();
        }
        this.panel.look(position, this.wrong());
        this.show();
    }

    // The fields anew; who has just used one goes on with it.
    rebuildFields() {
        const all = () => [...this.root.querySelectorAll(".fields select, .tools-to-set input, .actions button")];
        const place = all().indexOf(document.activeElement);
        this.buildFields();
        all()[place]?.focus();
    }

    // Why this position has no values, as far as the page can tell.
    wrong() {
        const { game, size, codes, mover } = this.position;
        return mover === "-" ? t("The game is over.") : SETUPS[game].problem(size, codes, mover);
    }

    show() {
        const { position } = this;
        const { analysis, showsLine, isLost } = this.panel;
        const { game, size, codes, mover } = position;
        const expected = analysis && showsLine ? analysis.pv.map(String) : [];
        this.root.querySelector(".game").dataset.game = game;
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
            ghosts: GAMES[game].variation(size, codes, expected, mover),
            choices: this.tool === BY_MOVES ? new Set(choices(position)) : undefined,
            values: analysis && !showsLine ? valuesByCell(position, analysis) : undefined,
        });
        this.back.disabled = this.before.length === 0;
        this.showOnwards();
        const text = isLost ? t("The connection to the server is lost; it is tried again.") : "";
        if (this.trouble.textContent !== text) {
            this.trouble.replaceChildren(...(text ? [notice(text, "trouble")] : []));
        }
    }

    // The way to a game from here.
    showOnwards() {
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
