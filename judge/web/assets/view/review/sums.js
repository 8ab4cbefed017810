// The section with a review's sums over the moves of each player.

import { element } from "../dom.js";
import { nameOf } from "../record.js";
import { t } from "../words.js";

// Returns the section, or null for a game without a review.
export function reviewSums(game) {
    if (!game.review) {
        return null;
    }
    const headings = [t("player"), t("mistakes"), t("blunders"), t("given away"), t("value lost a move")];
    const cells = (name, texts) => texts.map((text, place) => element(place ? name : "th", {}, text));
    const rows = [..."AB"].map((side) => {
        const sum = game.review.sums[side];
        const away = sum.wins_given_away + sum.draws_given_away;
        const mean = sum.mean_lost === null ? "–" : sum.mean_lost.toFixed(3);
        const texts = [`${side} ${nameOf(game, side)}`, sum.mistakes, sum.blunders, away, mean].map(String);
        return element("tr", { "data-side": side }, cells("td", texts));
    });
    return element(
        "section",
        { class: "review" },
        element("h3", {}, t("Review by {engine}", { engine: game.review.engine })),
        element("p", { class: "note" }, t("a mistake loses {bound} or more", { bound: game.review.bound })),
        element(
            "table",
            {},
            element("thead", {}, element("tr", {}, cells("th", headings))),
            element("tbody", {}, rows),
        ),
    );
}
