// The values of an analysis: for the board, as a table, and in a line.

import { cellsOf, singleMoves } from "../../view/record.js";
import { table } from "../../view/ui.js";
import { count, proofInWords, seconds, signed, t } from "../../view/words.js";

const LEVEL = 0.05; // a value nearer to 0 points neither up nor down
const SMALLEST = 0.005; // the smallest value that differs from 0 when shown with two decimals
const CERTAIN = { win: 1, draw: 0, loss: -1 };

// Returns a Map from cells to the values of an analysis's moves, in the form that faces/marks.js draws. position:
// {game, move_of_cell}. codes: its cells. Of moves that begin with the same cell the best one counts.
export function valuesByCell(position, codes, analysis) {
    const found = new Map();
    for (const move of ranked(analysis)) {
        const [cell] = cellsOf(position, codes, singleMoves(position, [move.move]));
        if (cell >= 0 && !found.has(cell) && valueOf(move) !== null) {
            found.set(cell, valueAsSign(move, isBest(analysis, move)));
        }
    }
    return found;
}

function isBest(analysis, move) {
    return String(move.move) === String(analysis.best);
}

// Returns the moves of an analysis, the best one first and the others by their values.
export function ranked(analysis) {
    const order = (move) => [isBest(analysis, move) ? 0 : 1, -(valueOf(move) ?? -2), move.at_most ? 1 : 0];
    return [...analysis.moves].sort((one, other) => {
        const [a, b] = [order(one), order(other)];
        const place = a.findIndex((each, number) => each !== b[number]);
        return place < 0 ? 0 : a[place] - b[place];
    });
}

// Returns the value of a move for the side to move, from -1 to 1, or null if the move was not looked at.
function valueOf(move) {
    return typeof move.value === "number" ? Math.min(1, Math.max(-1, move.value)) : null;
}

function valueAsSign(move, best) {
    const value = valueOf(move);
    const text = valueText(move);
    const words = [t("value {value}", { value: text }), move.proven && t("proven"), best && t("the best move")];
    const direction = value > LEVEL ? "up" : value < -LEVEL ? "down" : "level";
    const isProven = Boolean(move.proven);
    return { text, words: words.filter(Boolean).join(", "), direction, isProven, isBest: best };
}

// Returns a value in a few characters: "win", "+.25", or "<−.10" for an upper bound.
export function valueText(move) {
    const value = valueOf(move);
    if (value === null) {
        return "–";
    }
    if (move.proven && CERTAIN[move.proven] === value) {
        return proofInWords(move.proven);
    }
    const text = Math.abs(value) < SMALLEST ? ".00" : signed(value).replace("0.", ".");
    return move.at_most ? `<${text}` : text;
}

// Returns a line with the best move, its value, and the depth and time of the analysis.
export function bestInWords(analysis) {
    const known = analysis.moves.find((move) => isBest(analysis, move)) ?? analysis;
    const parts = [
        t("best move: {move}", { move: String(analysis.best) }),
        t("value {value}", { value: valueText(known) }),
        t("search depth {depth}", { depth: analysis.depth }),
        seconds(analysis.elapsed_s),
    ];
    return parts.join(" · ");
}

export function lineInWords(analysis) {
    return analysis.pv.length > 0 ? t("expected moves: {moves}", { moves: analysis.pv.join(" ") }) : "";
}

// Returns a table of all moves with their values.
export function valueTable(analysis) {
    const ofMove = (list, name) => new Map(list.map((each) => [each.move, each[name]]));
    const network = ofMove(analysis.evaluation?.moves ?? [], "value");
    const priors = ofMove(analysis.priors, "prior");
    const moves = ranked(analysis);
    // Not every game's bot counts visits, or has a network or a policy.
    const optional = [
        [t("visits by the search"), ({ visits }) => (typeof visits === "number" ? count(visits) : "")],
        [t("value by the network"), ({ move }) => (network.has(move) ? valueText({ value: network.get(move) }) : "")],
        [
            t("probability by the policy"),
            ({ move }) => (priors.has(move) ? `${(100 * priors.get(move)).toFixed(0)} %` : ""),
        ],
    ];
    const columns = [
        [t("move"), ({ move }) => String(move)],
        [t("value"), valueText],
        [t("proven result"), ({ proven }) => proofInWords(proven) ?? ""],
        ...optional.filter(([, say]) => moves.some(say)),
    ];
    const rows = moves.map((move) => ({
        cells: columns.map(([, say]) => say(move)),
        class: isBest(analysis, move) ? "best" : null,
        "data-move": move.move,
    }));
    return table(
        columns.map(([heading]) => heading),
        rows,
        { class: "values" },
    );
}
