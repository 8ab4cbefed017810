// Texts on a move, and the bot's report on it.

import { GAMES } from "./games.js";
import { isGuarded, isLate, numberOf, placeOf, reportOf, swingOf } from "./record.js";
import { marksInWords, reviewFacts } from "./review/marks.js";
import { count, seconds, signed, t } from "./words.js";

const SHOWN = ["value", "proven", "depth", "iterations", "nodes", "pv", "elapsed_s"]; // keys of a report, in this order
const SAID = ["turn", "move"]; // keys of a report that the line on its move has already
const MOST_CHARACTERS = 400;

// Returns one line on a move.
export function moveLine(game, ply) {
    const side = game.sides[ply - 1];
    const move = GAMES[game.game].moveInWords(game, game.moves[ply - 1], placeOf(game, ply), ply);
    const words = [t("ply {ply}: {side} plays {move}", { ply, side, move })];
    if (game.wall[ply - 1] !== null) {
        words.push(seconds(game.wall[ply - 1]));
    }
    const value = numberOf(game.reports.value?.[ply - 1]);
    if (value !== null && !isGuarded(game, ply)) {
        words.push(t("value {value}", { value: signed(value) }));
    }
    const swing = swingOf(game, ply);
    if (swing !== 0) {
        words.push(t("swing {change}", { change: signed(swing) }));
    }
    if (isLate(game, ply)) {
        words.push(t("over the limit"));
    }
    if (isGuarded(game, ply)) {
        words.push(t("the bot's guard answered"));
    }
    return [...words, ...marksInWords(game, ply)].join(" · ");
}

// Returns [[name, text]] of the bot's report on a ply, and of a review's answer on it.
export function reportFacts(game, ply) {
    const report = reportOf(game, ply);
    const names = {
        value: t("value"),
        proven: t("proven"),
        depth: t("depth"),
        iterations: t("iterations"),
        nodes: t("nodes"),
        pv: t("expects"),
        elapsed_s: t("searched"),
    };
    const facts = SHOWN.filter((key) => report.has(key)).map((key) => [names[key], inWords(key, report.get(key))]);
    const others = [...report].filter(([key]) => !SHOWN.includes(key) && !SAID.includes(key));
    if (others.length > 0) {
        facts.push([t("also"), shortened(others.map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(", "))]);
    }
    return [...facts, ...reviewFacts(game, ply)];
}

function inWords(key, value) {
    if (key === "proven" && ["win", "draw", "loss"].includes(value)) {
        return { win: t("win"), draw: t("draw"), loss: t("loss") }[value];
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
