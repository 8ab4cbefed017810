// The section on how a game ended, with the output of a player at fault.

import { element } from "./dom.js";
import { nameOf } from "./record.js";
import { t, told } from "./words.js";

const IMPORTED = "imported:"; // the beginning of the command of a player of whom an imported file has only the name

// Returns the section. reader: the side that the page's reader has played, or null for a game between others.
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

// Returns the commands and versions of the players, folded below a summary, or null if only their names are known.
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

// Returns the result from the point of view of the reader, who played `side`; "" for a game between others or VOID.
export function resultForReader(game, side) {
    if (side === null || game.termination === "VOID") {
        return "";
    }
    return game.winner === null ? t("A draw") : game.winner === side ? t("You won") : t("You lost");
}

// Returns a line on how the game ended, without who has won.
function reasonLine(game) {
    const fields = { plies: game.moves.length, reason: told(game.reason) };
    return game.termination === "NORMAL"
        ? t("after {plies} plies: {reason}", fields)
        : t("after {plies} plies: {ending}: {reason}", { ...fields, ending: endingInWords(game) });
}

// Returns the name of the ending, with the side at fault if there is one.
function endingInWords(game) {
    const name = t(game.termination);
    return game.fault ? t("{ending} by {side}", { ending: name, side: named(game, game.fault) }) : name;
}

function named(game, side) {
    return `${side} (${nameOf(game, side)})`;
}

// Returns a line with the result.
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
