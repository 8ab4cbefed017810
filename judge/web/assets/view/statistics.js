// Statistics of many games: tables of the games that the list shows, and figures of all games of the page.

import { bySide, bySize, crosstable, endings } from "./counts.js";
import { gameName } from "./games.js";
import { table, h } from "./ui.js";
import { count, seconds, t } from "./words.js";

const MOST_PLAYERS = 12; // of a crosstable; for more players there is a list of who has met whom
const MOST_LETTERS = 26; // up to so many players there is a crosstable if most of them have met
const BAR = { width: 200, height: 16 };
const CURVE = { width: 400, height: 150, left: 46, right: 30, top: 10, bottom: 26 };
const SCORES = { class: "scores" };

// The section for these rows of the list. data: the data of the page.
export function Statistics({ data, rows }) {
    const { players } = data.list;
    const { strength, llr, ratings, times } = data.totals;
    const isAny = rows.length > 0;
    return h(
        "section.statistics",
        h("h2", t("Statistics")),
        h("p.found", t("{number} of {total} games", { number: rows.length, total: data.list.rows.length })),
        ratings && ratingPart(ratings),
        isAny && crossPart(players, rows),
        h(
            "div.parts",
            isAny && [sidePart(players, rows), endingPart(rows)],
            strength && strengthPart(strength),
            llr && llrPart(llr),
            isAny && sizePart(rows),
        ),
        timesPart(times),
    );
}

function part(title, note, ...content) {
    const heading = [h("h3", title), note && h("p.note", note)];
    return h("section.part", heading, h("div.scroll", { tabindex: 0 }, content));
}

function crossPart(players, rows) {
    const cross = crosstable(rows);
    if (cross.players.length === 0) {
        return null; // in all games a player plays against itself
    }
    if (cross.players.length > MOST_PLAYERS && !haveMet(cross)) {
        const body = cross.players.map((one) => [players[one], ...scoreCells(cross.total(one))]);
        const headings = [t("player"), t("games"), t("won"), t("drawn"), t("lost"), t("score")];
        return part(t("Players"), t("a win is a point, a draw half a point"), table(headings, body, SCORES));
    }
    const letter = (place) => String.fromCharCode(97 + place);
    const headings = ["", ...cross.players.map((_, place) => letter(place)), t("games"), t("points"), t("score")];
    const body = cross.players.map((one, place) => {
        const cells = cross.players.map((other) => {
            const score = one === other ? null : cross.of(one, other);
            const share = score ? score.points / score.games : 0;
            const told = score
                ? t("{won} won, {drawn} drawn, {lost} lost", { won: score.won, drawn: score.drawn, lost: score.lost })
                : "";
            const text = score ? `${points(score)}/${score.games}` : one === other ? "×" : "";
            return { text, class: score ? `share s${Math.round(share * 4)}` : "none", title: told };
        });
        const total = cross.total(one);
        return [`${letter(place)}  ${players[one]}`, ...cells, count(total.games), points(total), total.percent];
    });
    const note = t("points of the player in the row / games against the player in the column; a draw is half a point");
    return part(t("Crosstable"), note, table(headings, body, { class: "cross" }));
}

// Returns whether so many of the players have met that a crosstable is worth its space.
function haveMet({ players, of }) {
    const met = players.map((one) => players.filter((other) => of(one, other)).length);
    const all = players.length * (players.length - 1);
    return players.length <= MOST_LETTERS && met.reduce((sum, number) => sum + number, 0) > all / 2;
}

export function ratingPart(ratings) {
    const known = ratings.players.filter((player) => player.elo !== null);
    const free = known.filter((player) => !player.held);
    const ends = (free.length > 0 ? free : known).flatMap(({ elo, error }) => [elo - error, elo + error]);
    const least = Math.min(...ends, ...known.map((player) => player.elo)) - 10;
    const most = Math.max(...ends, ...known.map((player) => player.elo)) + 10;
    const body = ratings.players.map((player, place) => [
        `${place + 1}  ${player.name}`,
        ...player.told,
        { class: "bars", text: player.elo === null ? null : errorBar(player, least, most) },
        ...player.counts.map(count),
        player.score,
        player.los,
    ]);
    const headings = [t("player"), "Elo", "95 %", "", t("games"), t("won"), t("drawn"), t("lost"), t("score"), "LOS"];
    const { first, draws, dispersion } = ratings;
    const note = [
        t(
            "counted over all games of the record; moving first is worth {first} Elo, and {draws} of the games between equal players are draws",
            { first, draws },
        ),
        t(
            "LOS: likelihood of being stronger than the next player; results of pairs vary {dispersion} times as much as those of independent games",
            {
                dispersion,
            },
        ),
    ];
    if (ratings.players.some((player) => player.held)) {
        note.push(
            t(
                "* a player who has won all games against the others, or lost all of them: any higher, or lower, rating would fit too",
            ),
        );
    }
    return part(t("Ratings"), note.join("; "), table(headings, body, { class: "scores ratings" }));
}

// Returns a picture of a rating as a dot with its error as a line, which is cut off at `least` and `most`.
function errorBar({ elo, error, held }, least, most) {
    const { width, height } = BAR;
    const x = (figure) => 3 + ((Math.min(Math.max(figure, least), most) - least) / (most - least)) * (width - 6);
    const at = { class: "rule zero", x1: x(0), x2: x(0), y1: 0, y2: height };
    const line = { class: "error", x1: x(elo - error), x2: x(elo + error), y1: height / 2, y2: height / 2 };
    return h(
        "svg",
        { class: held ? "rating held" : "rating", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
        h("line", at),
        h("line", line),
        h("circle", { cx: x(elo), cy: height / 2, r: 3.5 }),
    );
}

function points(score) {
    const whole = Math.floor(score.points);
    return score.points === whole ? String(whole) : `${whole || ""}½`;
}

function scoreCells(score) {
    return [count(score.games), count(score.won), count(score.drawn), count(score.lost), score.percent];
}

function games(score) {
    return score.first.games + score.second.games;
}

function sidePart(players, rows) {
    const all = [...bySide(rows)].sort(([, one], [, other]) => games(other) - games(one));
    const most = all.slice(0, MOST_PLAYERS);
    const body = most.map(([player, score]) => [
        players[player],
        `${score.first.won} / ${score.first.drawn} / ${score.first.lost}`,
        score.first.percent,
        `${score.second.won} / ${score.second.drawn} / ${score.second.lost}`,
        score.second.percent,
    ]);
    const headings = [
        t("player"),
        t("when first: won / drawn / lost"),
        t("score"),
        t("when second: won / drawn / lost"),
        t("score"),
    ];
    const note = cutNote(most.length, all.length)[0];
    return part(t("Scores when moving first and second"), note, table(headings, body, SCORES));
}

// Returns a list with the sentence that players are left out, or an empty list.
function cutNote(number, total) {
    return number < total
        ? [t("the page shows the {number} of {total} players that played most", { number, total })]
        : [];
}

function sizePart(rows) {
    const sizes = bySize(rows);
    const isMixed = sizes.some((entry) => entry.game !== sizes[0].game);
    const body = sizes.map((entry) => [
        `${isMixed ? `${gameName(entry.game)} ` : ""}${entry.size.replaceAll("x", "×")}`,
        ...scoreCells(entry.first),
        entry.plies.toFixed(1),
    ]);
    const headings = [
        t("board size"),
        t("games"),
        t("won"),
        t("drawn"),
        t("lost"),
        t("score"),
        t("mean plies per game"),
    ];
    return part(t("Score by board size"), t("score of the side that moved first"), table(headings, body, SCORES));
}

function endingPart(rows) {
    const body = [...endings(rows)].map(([name, entry]) =>
        [t(name), count(entry.games), entry.A || "", entry.B || ""].map(String),
    );
    return part(
        t("Endings"),
        null,
        table([t("ending"), t("games"), t("games with A at fault"), t("games with B at fault")], body, SCORES),
    );
}

function strengthPart(strength) {
    const { pairs, elo, error } = strength;
    const headings = [
        t("pairs of games"),
        t("A lost both"),
        t("A lost one, drew one"),
        t("A won one and lost one, or drew both"),
        t("A won one, drew one"),
        t("A won both"),
        "Elo",
        "LOS",
    ];
    const sum = pairs.reduce((one, other) => one + other, 0);
    const bar =
        error === null ? null : errorBar(strength, Math.min(0, elo - error) - 10, Math.max(0, elo + error) + 10);
    const row = [count(sum), ...pairs.map(count), strength.told, strength.los];
    const note = t("counted over all pairs of the record: two games on one board, in which each side moves first once");
    return part(t("Strength of A"), note, table(headings, [row], SCORES), bar);
}

// Returns the part with the curve of the log-likelihood ratio. llr: as in the totals.
export function llrPart(llr) {
    const { width, height, left, right, top, bottom } = CURVE;
    const [lower, upper] = llr.bounds;
    const figures = llr.points.map(([, figure]) => figure);
    const least = Math.min(lower, ...figures) - 0.3;
    const most = Math.max(upper, ...figures) + 0.3;
    const pairs = llr.points.at(-1)[0];
    const x = (pair) => left + (pair / pairs) * (width - left - right);
    const y = (figure) => top + ((most - figure) / (most - least)) * (height - top - bottom);
    const rule = (figure, name, text) => [
        h("line", { class: name, x1: left, x2: width - right, y1: y(figure), y2: y(figure) }),
        h(
            "text.axis",
            { x: left - 6, y: y(figure), "text-anchor": "end", "dominant-baseline": "middle" },
            figure.toFixed(figure ? 2 : 0),
        ),
        h("text.axis", { x: width - right + 6, y: y(figure), "dominant-baseline": "middle" }, text),
    ];
    const path = [
        `M${x(0)} ${y(0)}`,
        ...llr.points.map(([pair, figure]) => `L${x(pair).toFixed(1)} ${y(figure).toFixed(1)}`),
    ].join("");
    const end = t("LLR {figure} after {pairs} pairs", { figure: figures.at(-1).toFixed(2), pairs });
    const chart = h(
        "svg.llr",
        { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": end },
        rule(upper, "limit", "H1"),
        rule(0, "rule zero", ""),
        rule(lower, "limit", "H0"),
        h("path.curve", { d: path, "data-points": llr.points.length }),
        h(
            "text.axis",
            { x: width - right, y: height - 8, "text-anchor": "end" },
            t("{pairs} pairs of games", { pairs }),
        ),
    );
    const fields = { elo0: llr.elo0, elo1: llr.elo1, model: llr.model };
    const hypotheses = llr.known
        ? t("The hypotheses of the test are H0: Elo {elo0}, H1: Elo {elo1} ({model}).", fields)
        : t("The record has no hypotheses, so the page assumes H0: Elo {elo0}, H1: Elo {elo1} ({model}).", fields);
    const verdict = llr.verdict ? t("hypothesis {verdict} is accepted", { verdict: llr.verdict }) : t("no verdict yet");
    return part(t("Log-likelihood ratio after each pair"), `${hypotheses} ${end}: ${verdict}`, chart);
}

function timesPart(times) {
    const { classes } = times;
    const names = classes.map((end) => `≤ ${seconds(end)}`).concat(`> ${seconds(classes.at(-1))}`);
    const used = names.map((_, place) => times.players.some((player) => player.counts[place] > 0));
    const from = Math.max(0, used.indexOf(true));
    const to = used.lastIndexOf(true) + 1;
    const tables = times.players.map((player) => {
        const most = Math.max(1, ...player.counts);
        const rows = player.counts.slice(from, to).map((number, place) => {
            const bar = h("rect.bar", { x: 0, y: 1, height: 8, width: (100 * number) / most });
            const size = { viewBox: "0 0 100 10", preserveAspectRatio: "none" };
            const meter = h("svg.meter", { ...size, "aria-hidden": "true" }, bar);
            return [names[from + place], { class: "bars", text: meter }, number ? count(number) : ""];
        });
        return h(
            "figure",
            h("figcaption", player.name),
            table([t("time of a move"), "", t("moves")], rows, { class: "times" }),
        );
    });
    const note = [t("counted over all games of the record"), ...cutNote(times.players.length, times.all)].join("; ");
    return part(t("Times of moves"), note, h("div.figures", tables));
}
