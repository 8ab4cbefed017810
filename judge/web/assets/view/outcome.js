// How a game ended, and what a player at fault left behind.

import { element } from "./dom.js";
import { nameOf } from "./record.js";
import { t, told } from "./words.js";

const IMPORTED = "imported:"; // begins the command of a player of whom a file told the name alone

// The section on it. reader: the side that the page's reader has played; null where it is a game of others.
export function outcome(game, reader = null) {
    const result = resultForReader(game, reader);
    const heading = element("h3", { class: result ? "verdict" : null }, result || t("How it ended"));
    const parts = [heading, element("p", { class: "reason" }, result ? reasonLine(game) : resultLine(game))];
    const broken = told(game.verdict).split("\n").filter(Boolean);
    const warnings = broken.map((sentence) => t("NOT what the rules say: {sentence}", { sentence }));
    for (const warning of [told(game.refusal), ...warnings].filter(Boolean)) {
        parts.push(element("p", { class: "warning" }, warning));
    }
    if (told(game.notes)) {
        parts.push(element("pre", { class: "notes" }, told(game.notes)));
    }
    const side = game.fault;
    const kept = [
        [t("what came on {side}'s stdout and was no reply", { side }), game.stdout],
        [t("the end of {side}'s stderr", { side }), game.stderr],
    ];
    for (const [name, text] of kept.filter(([, text]) => text)) {
        const bytes = element("pre", { class: "bytes" }, text);
        parts.push(element("details", {}, element("summary", {}, name), bytes));
    }
    return element("section", { class: game.termination === "NORMAL" ? "outcome" : "outcome fault" }, parts);
}

// What started the players, and in which version, behind a summary; null where nothing is known but their names.
export function commands(game) {
    const known = [..."AB"].filter((side, place) => !game.players[place].command.startsWith(IMPORTED));
    const facts = known.map((side) => {
        const { command, version } = game.players["AB".indexOf(side)];
        const which = t("version {version}", { version });
        const told = [element("code", {}, command), version === null ? "" : ` ${which}`];
        return [element("dt", {}, side), element("dd", {}, told)];
    });
    const summary = element("summary", {}, t("what was played with"));
    return facts.length > 0 ? element("details", { class: "commands" }, summary, element("dl", {}, facts.flat())) : null;
}

// The result as whoever has played this side sees it; "" of a game of others, and of one that does not count.
export function resultForReader(game, side) {
    if (side === null || game.termination === "VOID") {
        return "";
    }
    return game.winner === null ? t("A draw") : game.winner === side ? t("You won") : t("You lost");
}

// The result in a line, without who has won.
function reasonLine(game) {
    const fields = { plies: game.moves.length, reason: told(game.reason) };
    return game.termination === "NORMAL"
        ? t("after {plies} plies: {reason}", fields)
        : t("after {plies} plies: {ending}: {reason}", { ...fields, ending: endingInWords(game) });
}

// How the game ended, and by whose fault.
function endingInWords(game) {
    const name = t(game.termination);
    return game.fault ? t("{ending} by {side}", { ending: name, side: named(game, game.fault) }) : name;
}

function named(game, side) {
    return `${side} (${nameOf(game, side)})`;
}

// The result in a line.
function resultLine(game) {
    const reason = told(game.reason);
    const plies = game.moves.length;
    if (game.termination === "VOID") {
        return t("The game is VOID after {plies} plies: {reason}", { plies, reason });
    }
    if (game.winner === null) {
        return t("Draw after {plies} plies: {reason}", { plies, reason });
    }
    const winner = named(game, game.winner);
    if (game.termination === "NORMAL") {
        return t("{winner} wins after {plies} plies: {reason}", { winner, plies, reason });
    }
    return t("{winner} wins after {plies} plies: {ending}: {reason}", {
        winner,
        plies,
        ending: endingInWords(game),
        reason,
    });
}
