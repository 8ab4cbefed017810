// How a game ended, with the output of a player at fault; and what was played with.

import { nameOf } from "./record.js";
import { h, memo } from "./ui.js";
import { t, told } from "./words.js";

const IMPORTED = "imported:"; // the beginning of the command of a player of whom an imported file has only the name

// The section on how a game ended. reader: the side that the page's reader has played, if any.
export const Outcome = memo(({ game, reader = null }) => {
    const result = resultForReader(game, reader);
    const broken = told(game.verdict).split("\n").filter(Boolean);
    const warnings = broken.map((sentence) => t("The record disagrees with the rules: {sentence}", { sentence }));
    const side = game.fault;
    const kept = [
        [t("what {side} wrote to stdout besides replies", { side }), game.stdout],
        [t("the end of {side}'s stderr", { side }), game.stderr],
    ].filter(([, text]) => text);
    return h(
        "section",
        { class: game.termination === "NORMAL" ? "outcome" : "outcome fault" },
        h("h3", { class: result ? "verdict" : null }, result || t("How the game ended")),
        h("p.reason", result ? reasonLine(game) : resultLine(game)),
        [told(game.refusal), ...warnings].filter(Boolean).map((text) => h("p.warning", text)),
        told(game.notes) && h("pre.notes", told(game.notes)),
        kept.map(([name, text]) => h("details", h("summary", name), h("pre.bytes", text))),
    );
});

// The commands and versions of the players, folded below a summary, if more than their names is known.
export const Commands = memo(({ game }) => {
    const known = [..."AB"].filter((_, place) => !game.players[place].command.startsWith(IMPORTED));
    const facts = known.flatMap((side) => {
        const { command, version } = game.players["AB".indexOf(side)];
        const which = version !== null && [" ", t("version {version}", { version })];
        return [h("dt", side), h("dd", h("code", command), which)];
    });
    const summary = h("summary", t("the programs that played"));
    return facts.length > 0 && h("details.commands", summary, h("dl", facts));
});

// Returns the result from the point of view of the reader, who played `side`; "" for a game between others or VOID.
export function resultForReader(game, side) {
    if (side === null || game.termination === "VOID") {
        return "";
    }
    return game.winner === null ? t("A draw") : game.winner === side ? t("You won") : t("You lost");
}

// Returns a line on how the game ended, without who has won.
function reasonLine(game) {
    const fields = { plies: game.moves.length, reason: told(game.reason), ending: endingInWords(game) };
    return game.termination === "NORMAL"
        ? t("The game ended after {plies} plies: {reason}", fields)
        : t("The game ended after {plies} plies: {ending}: {reason}", fields);
}

// Returns the name of the ending, with the side at fault if there is one.
function endingInWords(game) {
    const ending = t(game.termination);
    return game.fault ? t("{ending} by {side}", { ending, side: named(game, game.fault) }) : ending;
}

function named(game, side) {
    return `${side} (${nameOf(game, side)})`;
}

// Returns a line with the result.
function resultLine(game) {
    const fields = { plies: game.moves.length, reason: told(game.reason), ending: endingInWords(game) };
    if (game.termination === "VOID") {
        return t("The game does not count (VOID). It was stopped after {plies} plies: {reason}", fields);
    }
    if (game.winner === null) {
        return t("Draw after {plies} plies: {reason}", fields);
    }
    fields.winner = named(game, game.winner);
    return game.termination === "NORMAL"
        ? t("{winner} wins after {plies} plies: {reason}", fields)
        : t("{winner} wins after {plies} plies: {ending}: {reason}", fields);
}
