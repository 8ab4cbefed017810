// A review's marks of single moves: signs, words, and the move that its engine would have made; and its sums.

import { nameOf, reviewOf } from "./record.js";
import { h, memo, table } from "./ui.js";
import { proofInWords, signed, t } from "./words.js";

// Returns all marks. Their signs differ in shape, because they may be seen without colours.
function allMarks() {
    return [
        { name: "mistake", sign: "?", word: t("mistake") },
        { name: "blunder", sign: "??", word: t("blunder") },
        { name: "gave_away_win", sign: "✗", word: t("gave away a win") },
        { name: "gave_away_draw", sign: "½", word: t("gave away a draw") },
        { name: "last_chance", sign: "⚑", word: t("last chance to avoid the loss") },
    ];
}

// Returns the marks of a ply, each {name, sign, word}: its own mark, and the mark of the last chance of the side that
// lost.
export function marksAt(game, ply) {
    const names = [reviewOf(game, ply)?.mark, game.review?.last_chance === ply ? "last_chance" : null];
    return game.review ? allMarks().filter(({ name }) => names.includes(name)) : [];
}

// Returns the marks in a game, each once: [[sign, word]].
export function marksOf(game) {
    const all = game.moves.flatMap((_, place) => marksAt(game, place + 1));
    return [...new Map(all.map(({ sign, word }) => [sign, word]))];
}

// Returns the signs of a ply's marks, for the list of moves.
export function badges(game, ply) {
    return marksAt(game, ply).map(({ name, sign, word }) => h("b", { class: `badge ${name}`, title: word }, sign));
}

// Returns the marks of a ply in words, with the move that would have been better.
export function marksInWords(game, ply) {
    const words = marksAt(game, ply).map(({ word }) => word);
    const { best } = reviewOf(game, ply) ?? {};
    const isBetter = words.length > 0 && best && best !== game.moves[ply - 1];
    return isBetter ? [...words, t("a better move: {move}", { move: best })] : words;
}

// Returns [[name, text]] of the engine's answer on a ply.
export function reviewFacts(game, ply) {
    const review = reviewOf(game, ply);
    if (!review || review.value === null) {
        return [];
    }
    const proof = review.proven === null ? [] : [proofInWords(review.proven)];
    const words = [signed(review.value), ...proof, ...marksAt(game, ply).map(({ word }) => word)];
    const facts = [
        [t("value by the review"), words.join(" · ")],
        [t("best move by the review"), review.best],
    ];
    return review.lost === null ? facts : [...facts, [t("value lost by the move"), review.lost.toFixed(2)]];
}

// The section with the sums over the moves of each player.
export const ReviewSums = memo(({ game }) => {
    const { engine, bound, sums } = game.review;
    const headings = [t("player"), t("mistakes"), t("blunders"), t("results given away"), t("value lost per move")];
    const rows = [..."AB"].map((side) => {
        const sum = sums[side];
        const mean = sum.mean_lost === null ? "–" : sum.mean_lost.toFixed(3);
        const away = sum.wins_given_away + sum.draws_given_away;
        const cells = [`${side} ${nameOf(game, side)}`, sum.mistakes, sum.blunders, away, mean].map(String);
        return { cells, "data-side": side };
    });
    return h(
        "section.review",
        h("h3", t("Review by {engine}", { engine })),
        h("p.note", t("A mistake is a move that loses more than {bound} of the value.", { bound })),
        table(headings, rows),
    );
});
