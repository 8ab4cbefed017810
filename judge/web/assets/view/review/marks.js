// A review's marks of single moves: signs, words, and the move that its engine would have made.

import { element } from "../dom.js";
import { reviewOf } from "../record.js";
import { signed, t } from "../words.js";

// The signs differ in shape, because they may be seen without colours.
const SIGNS = { mistake: "?", blunder: "??", gave_away_win: "✗", gave_away_draw: "½", last_chance: "⚑" };

function inWords(mark) {
    return {
        mistake: t("mistake"),
        blunder: t("blunder"),
        gave_away_win: t("gave away a win"),
        gave_away_draw: t("gave away a draw"),
        last_chance: t("last chance"),
    }[mark];
}

// Returns the marks of a ply, each {name, sign, word}: its own mark, and the mark of the last chance of the side that
// lost.
export function marksAt(game, ply) {
    const own = reviewOf(game, ply)?.mark;
    const names = [own, game.review?.last_chance === ply ? "last_chance" : null];
    return [...new Set(names)]
        .filter((name) => Object.hasOwn(SIGNS, name))
        .map((name) => ({ name, sign: SIGNS[name], word: inWords(name) }));
}

// Returns the marks in a game, each once: [[sign, word]].
export function marksOf(game) {
    const found = new Map();
    game.moves.forEach((_, place) => marksAt(game, place + 1).forEach(({ sign, word }) => found.set(sign, word)));
    return [...found];
}

// Returns the signs of a ply's marks, for the list of moves.
export function badges(game, ply) {
    return marksAt(game, ply).map(({ name, sign, word }) => element("b", { class: `badge ${name}`, title: word }, sign));
}

// Returns the marks of a ply in words, with the move that would have been better.
export function marksInWords(game, ply) {
    const words = marksAt(game, ply).map(({ word }) => word);
    const { best } = reviewOf(game, ply) ?? {};
    if (words.length > 0 && best && best !== game.moves[ply - 1]) {
        words.push(t("better {move}", { move: best }));
    }
    return words;
}

// Returns [[name, text]] of the engine's answer on a ply.
export function reviewFacts(game, ply) {
    const review = reviewOf(game, ply);
    if (!review || review.value === null) {
        return [];
    }
    const results = { win: t("win"), draw: t("draw"), loss: t("loss") };
    const worth = review.proven === null ? signed(review.value) : `${signed(review.value)} · ${results[review.proven]}`;
    const facts = [
        [t("review"), [worth, ...marksAt(game, ply).map(({ word }) => word)].join(" · ")],
        [t("best move"), review.best],
    ];
    if (review.lost !== null) {
        facts.push([t("value lost"), review.lost.toFixed(2)]);
    }
    return facts;
}
