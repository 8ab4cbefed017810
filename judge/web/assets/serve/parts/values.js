// What an analysis says of moves: on the board, as a list, and in a line.

import { element } from "../../view/dom.js";
import { cellsOf, singleMoves } from "../../view/record.js";
import { count, seconds, signed, t } from "../../view/words.js";

const LEVEL = 0.05; // a value so near to 0 points neither up nor down
const SMALLEST = 0.005; // that two digits tell from 0
const CERTAIN = { win: 1, draw: 0, loss: -1 };

// Map from cells to values, as faces/values.js draws them, of the moves of an analysis. position: {game, move_of_cell},
// and its codes. Of moves that begin with the same cell the best one counts.
export function valuesByCell(position, codes, analysis) {
    const found = new Map();
    for (const move of ranked(analysis)) {
        const [cell] = cellsOf(position, codes, singleMoves(position.game, [move.move]));
        if (cell >= 0 && !found.has(cell) && valueOf(move) !== null) {
            found.set(cell, valueAsSign(move, isBest(analysis, move)));
        }
    }
    return found;
}

function isBest(analysis, move) {
    return String(move.move) === String(analysis.best);
}

// The moves with the best one first, then by their values.
function ranked(analysis) {
    const order = (move) => [isBest(analysis, move) ? 0 : 1, -(valueOf(move) ?? -2), move.is_bound ? 1 : 0];
    return [...analysis.moves].sort((one, other) => {
        const [a, b] = [order(one), order(other)];
        const place = a.findIndex((each, number) => each !== b[number]);
        return place < 0 ? 0 : a[place] - b[place];
    });
}

// A move's value to the side to move, -1 to 1; null where it was not looked at.
function valueOf(move) {
    return typeof move.value === "number" ? Math.min(1, Math.max(-1, move.value)) : null;
}

function valueAsSign(move, best) {
    const value = valueOf(move);
    const text = valueText(move);
    const words = [t("value {value}", { value: text })];
    if (move.proven) {
        words.push(t("proven"));
    }
    if (best) {
        words.push(t("the best move"));
    }
    const direction = value > LEVEL ? "up" : value < -LEVEL ? "down" : "level";
    return { text, words: words.join(", "), direction, isProven: Boolean(move.proven), isBest: best };
}

// A value in a few characters: "win", "+.25", "<−.10" for at most so much.
export function valueText(move) {
    const value = valueOf(move);
    if (value === null) {
        return "–";
    }
    if (move.proven && CERTAIN[move.proven] === value) {
        return { win: t("win"), draw: t("draw"), loss: t("loss") }[move.proven];
    }
    const text = Math.abs(value) < SMALLEST ? ".00" : signed(value).replace("0.", ".");
    return move.is_bound ? `<${text}` : text;
}

// The best move and what is expected in a line; "" while there is nothing yet.
export function bestInWords(analysis) {
    const known = analysis.moves.find((move) => isBest(analysis, move)) ?? analysis;
    const parts = [
        t("best: {move}", { move: String(analysis.best) }),
        t("value {value}", { value: valueText(known) }),
        t("depth {depth}", { depth: analysis.depth }),
        seconds(analysis.elapsed_s),
    ];
    return parts.join(" · ");
}

export function lineInWords(analysis) {
    return analysis.pv.length > 0 ? t("expected: {moves}", { moves: analysis.pv.join(" ") }) : "";
}

// All moves with their values.
export function valueTable(analysis) {
    const headings = [t("move"), t("value"), t("proven"), t("visits")];
    const proven = { win: t("win"), draw: t("draw"), loss: t("loss") };
    const hasVisits = analysis.moves.some((move) => typeof move.visits === "number");
    const rows = ranked(analysis).map((move) => {
        const cells = [valueText(move), proven[move.proven] ?? ""];
        if (hasVisits) {
            cells.push(typeof move.visits === "number" ? count(move.visits) : "");
        }
        return element(
            "tr",
            { class: isBest(analysis, move) ? "best" : null, "data-move": move.move },
            element("th", { scope: "row" }, String(move.move)),
            cells.map((text) => element("td", {}, text)),
        );
    });
    const head = headings.slice(0, hasVisits ? 4 : 3).map((text) => element("th", { scope: "col" }, text));
    return element(
        "table",
        { class: "values" },
        element("thead", {}, element("tr", {}, head)),
        element("tbody", {}, rows),
    );
}
