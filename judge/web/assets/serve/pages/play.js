// The page of a game that the reader plays. The server has the game: the page shows its state and sends it commands.

import { button, element } from "../../view/dom.js";
import { moveLine } from "../../view/moves.js";
import { outcome, resultForReader } from "../../view/outcome.js";
import {
    cellsOf,
    codesAt,
    lastPly,
    moverAfter,
    nameOf,
    placedUntil,
    placeOf,
    sideOf,
    stonesOf,
} from "../../view/record.js";
import { seconds, t, told } from "../../view/words.js";
import { Connection } from "../connection.js";
import { now, tenths, ticking } from "../parts/clock.js";
import { Confirming } from "../parts/confirming.js";
import { MoveList } from "../parts/move_list.js";
import { address } from "../parts/names.js";
import { notice } from "../parts/notice.js";
import { COLUMN_KEYS, PickableBoard } from "../parts/pickable_board.js";
import { PlayerCards } from "../parts/player_cards.js";
import { bestInWords, lineInWords, valuesByCell } from "../parts/values.js";
import { top } from "../top.js";

export async function playPage(root, start, id) {
    new PlayPage(root, decodeURIComponent(id)).open();
}

class PlayPage {
    constructor(root, id) {
        Object.assign(this, { root, id });
        this.state = null; // the latest state of the table that the server has sent
        this.line = ""; // the state of the connection
        this.refused = null;
        this.board = new PickableBoard((cell) => this.pick(cell));
        this.cards = new PlayerCards();
        this.moves = new MoveList();
        const texts = () => ({
            act: t("Resign"),
            question: t("Give the game up?"),
            yes: t("Yes, resign"),
            no: t("No, go on"),
        });
        this.resigning = new Confirming(texts, () => this.send({ type: "resign" }));
    }

    open() {
        this.build();
        this.connection = new Connection(`/ws/tables/${encodeURIComponent(this.id)}`, {
            heard: (message) => this.heard(message),
            changed: (line) => {
                this.line = line;
                this.showTrouble();
            },
        });
        addEventListener("keydown", (event) => this.board.pressAnywhere(event));
        ticking(() => {
            this.cards.tick();
            this.showDoing();
        });
    }

    // Builds the whole page, at first and after a change of the language.
    build() {
        this.trouble = element("div", { class: "troubles" });
        this.troubles = "";
        this.heading = element("div", { class: "title" });
        this.doing = element("p", { class: "doing" });
        this.latest = element("p", { class: "move", role: "status" });
        this.thought = element("p", { class: "thought" });
        this.actions = element("div", { class: "actions" });
        this.result = element("div", { class: "result", role: "status" });
        this.help = element("footer", { class: "help keys-help" });
        this.root.classList.add("playing");
        const left = element("div", { class: "left" }, this.board.element, this.actions, this.thought);
        const right = element(
            "div",
            { class: "right" },
            this.cards.element,
            this.doing,
            this.latest,
            this.result,
            this.moves.element,
        );
        this.root.replaceChildren(
            top("", null, () => this.build()),
            this.trouble,
            element("section", { class: "game" }, this.heading, element("div", { class: "columns" }, left, right)),
            this.help,
        );
        this.makeActions();
        this.show();
    }

    makeActions() {
        const act = (type) => () => this.send({ type });
        this.undo = button(t("Undo"), t("take your last move and the answer to it back"), act("undo"));
        this.hint = button(t("Hint"), t("what the player would do in your place"), act("hint"));
        this.worth = button(t("Values"), t("what each of your moves is worth"), () =>
            this.send({ type: "evaluate", on: !this.state?.evaluating }),
        );
        this.actions.replaceChildren(this.undo, this.hint, this.worth, this.resigning.element);
    }

    send(content) {
        this.refused = null;
        if (!this.connection.send(content)) {
            this.line = this.line === "gone" ? "gone" : "lost";
        }
        this.showTrouble();
    }

    heard(message) {
        if (message.type === "refused") {
            this.refused = message.error;
            this.showTrouble();
        } else if (message.type === "table") {
            if (this.state && lastPly(this.state.game) !== lastPly(message.game)) {
                this.refused = null;
            }
            this.state = message;
            this.received = now();
            this.show();
        }
    }

    // Plays the move that a picked cell stands for, if it stands for one.
    pick(cell) {
        const { state } = this;
        const move = state?.game.move_of_cell[cell] ?? null;
        if (move === null || state.turn !== "human") {
            return;
        }
        if (state.legal.includes(move)) {
            this.send({ type: "move", move });
        } else {
            this.refused = { en: t("{move} is no legal move.", { move }) };
            this.showTrouble();
        }
    }

    show() {
        const { state } = this;
        if (state === null) {
            this.showTrouble();
            return;
        }
        const { game } = state;
        this.root.querySelector(".game").dataset.game = game.game;
        const against = t("Against {player}", { player: state.player });
        const result = game.running ? "" : resultForReader(game, state.human);
        document.title = [result, against, "dropfour"].filter(Boolean).join(" · ");
        const facts = [told(game.board), t("limit {limit} s", { limit: state.limit_s })].join(" · ");
        this.heading.replaceChildren(
            element("h2", {}, against),
            element("p", {}, facts),
        );
        this.showBoard();
        this.cards.show(state, this.received);
        this.moves.show(game);
        const ply = lastPly(game);
        this.latest.textContent = ply > 0 ? moveLine(game, ply) : t("before the first move");
        this.help.textContent = this.keysInWords();
        this.showActions();
        this.showThought();
        this.showDoing();
        this.showResult();
        this.showTrouble();
    }

    showBoard() {
        const { game, hint, turn, legal } = this.state;
        const ply = lastPly(game);
        const codes = codesAt(game, ply);
        const mover = moverAfter(game, ply);
        this.board.show({
            game: game.game,
            size: game.size,
            codes,
            names: Object.fromEntries([..."01"].map((player) => [player, this.nameOf(sideOf(game, player))])),
            placed: placedUntil(game, ply),
            last: ply > 0 ? placeOf(game, ply) : null,
            line: game.line,
            numbers: false,
            hints: [],
            ghosts: hint ? stonesOf(game, codes, hint.moves, mover.repeat(hint.moves.length)) : [],
            choices: new Set(turn === "human" ? cellsOf(game, codes, legal) : []),
            values: this.evaluated() ? valuesByCell(game, codes, this.state.evaluation) : new Map(),
        });
    }

    // Returns the text on what keys do, or "" once the game is over.
    keysInWords() {
        const { turn, preparing } = this.state;
        if (turn === null && !preparing) {
            return "";
        }
        const columns = this.board.columnMoves;
        const place = t("arrow keys and Enter choose a place");
        if (columns === 0) {
            return t("Keys: {keys}", { keys: place });
        }
        const digits = t("0 to {last} drop a stone in that column", { last: Math.min(columns, 10) - 1 });
        const letters = [10, 11]
            .filter((column) => column < columns)
            .map((column) => t("{key} in column {column}", { key: COLUMN_KEYS[column], column }));
        return t("Keys: {keys}", { keys: [digits, ...letters, place].join(", ") });
    }

    // Returns whether there are values for the current position.
    evaluated() {
        const { evaluation, game, turn } = this.state;
        return turn !== null && evaluation?.moves?.length > 0 && evaluation.ply === lastPly(game);
    }

    nameOf(side) {
        return side === this.state.human ? t("you") : nameOf(this.state.game, side);
    }

    showActions() {
        const { state } = this;
        const isTurn = state.turn === "human";
        const isSettled = state.turn === null && !state.preparing;
        this.actions.hidden = isSettled;
        this.undo.disabled = !state.can_undo;
        this.hint.disabled = !isTurn || Boolean(state.hint?.thinking);
        this.worth.disabled = isSettled;
        this.worth.setAttribute("aria-pressed", String(state.evaluating));
        this.resigning.show(!isSettled);
    }

    // Shows the hint and the values of the position, if they were asked for.
    showThought() {
        const { hint, evaluation, player } = this.state;
        const lines = [];
        if (hint?.thinking) {
            lines.push(t("{player} looks for a move for you …", { player }));
        } else if (hint?.error) {
            lines.push(told(hint.error));
        } else if (hint) {
            lines.push(t("{player} would play {move}.", { player, move: hint.moves.join(" ") }));
        }
        if (this.evaluated()) {
            lines.push(bestInWords(evaluation), lineInWords(evaluation));
        } else if (evaluation?.error) {
            lines.push(told(evaluation.error));
        } else if (evaluation?.thinking) {
            lines.push(t("The values are being worked out …"));
        }
        const text = lines.filter(Boolean).join("\n");
        if (this.thought.textContent !== text) {
            this.thought.textContent = text;
        }
    }

    // Shows what is going on now, such as who is to move.
    showDoing() {
        const { state } = this;
        if (state === null) {
            return;
        }
        let text = state.preparing ? t("{player} is being started …", { player: state.player }) : "";
        if (state.turn === "human") {
            text = t("It is your move.");
        } else if (state.turn === "player") {
            const time = tenths(state.clock.turn_s + now() - this.received);
            text = t("{player} is thinking: {time} of at most {limit}.", {
                player: state.player,
                time,
                limit: seconds(state.limit_s),
            });
        }
        if (this.doing.textContent !== text) {
            this.doing.textContent = text;
        }
    }

    showResult() {
        const { over, game, human, turn, preparing } = this.state;
        const parts = [];
        if (!game.running) {
            parts.push(outcome(game, human));
        }
        if (turn === null && !preparing) {
            const ways = element("p", { class: "ways-on" }, element("a", { href: "/" }, t("Another game")));
            if (over !== null) {
                const place = `/records/${address(over.path)}#g${over.number}`;
                ways.prepend(element("a", { href: place }, t("Look at the game in its record")));
            }
            parts.push(ways);
        }
        this.result.replaceChildren(...parts);
    }

    showTrouble() {
        const texts = {
            lost: t("The connection to the server is lost; it is tried again. The game waits there, if it still runs."),
            gone: t("The server has no such game any more. Finished games are in the records."),
        };
        const refused = this.line === "gone" ? null : this.refused;
        const toldByServer = [this.state?.trouble, refused].map((each) => each && told(each));
        const lines = [texts[this.line], ...toldByServer].filter(Boolean);
        if (JSON.stringify(lines) !== this.troubles) {
            this.troubles = JSON.stringify(lines);
            this.trouble.replaceChildren(...lines.map((text) => notice(text, "trouble")));
        }
        const shown = this.root.querySelector(".game");
        shown.hidden = this.state === null;
        shown.classList.toggle("cut-off", this.line in texts);
    }
}
