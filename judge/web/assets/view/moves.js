// Texts on a move, and the bot's report on it.

import { moveInWords } from "./games.js";
import { isGuarded, isLate, numberOf, reportOf, swingOf } from "./record.js";
import { marksInWords, reviewFacts } from "./review.js";
import { count, proofInWords, seconds, signed, t } from "./words.js";

const SHOWN = ["value", "proven", "depth", "iterations", "nodes", "pv", "elapsed_s"]; // keys of a report, in this order
const SAID = ["turn", "move"]; // keys of a report that the line on its move has already
const MOST_CHARACTERS = 400;

// Returns one line on a move.
export function moveLine(game, ply) {
    const side = game.sides[ply - 1];
    const wall = game.wall[ply - 1];
    const value = numberOf(game.reports.value?.[ply - 1]);
    const swing = swingOf(game, ply);
    const words = [
        t("ply {ply}: {side} plays {move}", { ply, side, move: moveInWords(game, ply) }),
        wall !== null && seconds(wall),
        value !== null && !isGuarded(game, ply) && t("value {value}", { value: signed(value) }),
        swing !== 0 && t("value changed by {change}", { change: signed(swing) }),
        isLate(game, ply) && t("the move was over the time limit"),
        isGuarded(game, ply) && t("the bot's guard chose the move in place of the search"),
        ...marksInWords(game, ply),
    ];
    return words.filter(Boolean).join(" · ");
}

// Returns [[name, text]] of the bot's report on a ply, and of a review's answer on it.
export function reportFacts(game, ply) {
    const report = reportOf(game, ply);
    const names = {
        value: t("value"),
        proven: t("proven result"),
        depth: t("search depth"),
        iterations: t("iterations of the search"),
        nodes: t("nodes of the search"),
        pv: t("expected moves"),
        elapsed_s: t("search time"),
    };
    const facts = SHOWN.filter((key) => report.has(key)).map((key) => [names[key], inWords(key, report.get(key))]);
    const others = [...report].filter(([key]) => !SHOWN.includes(key) && !SAID.includes(key));
    if (others.length > 0) {
        facts.push([
            t("other values of the bot's report"),
            shortened(others.map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(", ")),
        ]);
    }
    return [...facts, ...reviewFacts(game, ply)];
}

function inWords(key, value) {
    if (key === "proven" && proofInWords(value)) {
        return proofInWords(value);
    }
    if (key === "pv" && Array.isArray(value)) {
        return shortened(value.map(String).join(" "));
    }
    const number = numberOf(value);
    if (number === null) {
        return shortened(typeof value === "string" ? value : JSON.stringify(value));
    }
    return { value: signed, elapsed_s: seconds }[key]?.(number) ?? count(number);
}

function shortened(text) {
    return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)} …`;
}
