// Charts over the plies of a game: a curve of the values that both sides stated, and bars of the times that they took.

import { drawn, element } from "./dom.js";
import { icon } from "./faces/stones.js";
import { GAMES } from "./games.js";
import { isGuarded, isLate, lastPly, nameOf, playerOf, reviewOf, sideOf, swingOf, valueOf } from "./record.js";
import { marksAt, marksOf } from "./review/marks.js";
import { seconds, signed, t } from "./words.js";

const LEFT = 52;
const RIGHT = 10;
const VALUES = 130; // heights of the charts, in pixels
const TIMES = 74;
const GAP = 22; // between the two charts
const TOP = 12;
const MARK = 4.5;
const RESULTS = { win: 1, draw: 0, loss: -1 };

// Returns both charts as one SVG element, `width` pixels wide. pick(ply) is called when a ply is clicked.
export function gameCharts(game, width, pick) {
    const plies = lastPly(game);
    const height = timeBase(game) + 18;
    const room = width - LEFT - RIGHT;
    const x = (ply) => LEFT + (plies < 1 ? 0 : ((ply - 0.5) / plies) * room);
    const chart = drawn("svg", { class: "charts", viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
    chart.setAttribute("aria-label", t("values and times over the plies; the moves below have the same in words"));
    chart.append(...axes(game, width, x), ...bars(game, x, room), ...curves(game, x), ...reviewCurve(game, x));
    const cursor = drawn("rect", {
        class: "cursor",
        y: TOP - 4,
        height: timeBase(game) - TOP + 8,
        width: Math.max(3, room / (plies || 1)),
    });
    chart.prepend(cursor);
    chart.addEventListener("click", (event) => {
        const place = (event.clientX - chart.getBoundingClientRect().left - LEFT) / room;
        pick(Math.min(plies, Math.max(0, Math.ceil(place * plies))));
    });
    const show = (ply) => {
        cursor.setAttribute("x", x(ply) - Number(cursor.getAttribute("width")) / 2);
        cursor.setAttribute("visibility", ply > 0 ? "visible" : "hidden");
        cursor.setAttribute("data-ply", ply);
    };
    return { element: chart, show };
}

function axes(game, width, x) {
    const top = sideOf(game, "0");
    const bottom = sideOf(game, "1");
    const parts = [];
    const names = [
        [1, t("{side} wins", { side: top })],
        [0, "0"],
        [-1, t("{side} wins", { side: bottom })],
    ];
    for (const [value, name] of hasValues(game) ? names : []) {
        const y = valueHeight(value);
        parts.push(drawn("line", { class: value ? "rule" : "rule zero", x1: LEFT, x2: width - RIGHT, y1: y, y2: y }));
        parts.push(text("axis", LEFT - 6, y, name, "end"));
    }
    const longest = longestTime(game);
    const base = timeBase(game);
    parts.push(drawn("line", { class: "rule", x1: LEFT, x2: width - RIGHT, y1: base, y2: base }));
    if (longest > 0) {
        parts.push(text("axis", LEFT - 6, base - TIMES, seconds(longest), "end"));
        if (game.limit !== null && game.limit <= longest * 1.0001) {
            const y = base - (game.limit / longest) * TIMES;
            parts.push(drawn("line", { class: "limit", x1: LEFT, x2: width - RIGHT, y1: y, y2: y }));
        }
    }
    const plies = lastPly(game);
    const step = Math.max(1, Math.ceil(plies / Math.max(2, (width - LEFT) / 46) / 5) * 5);
    for (let ply = step; ply <= plies; ply += step) {
        parts.push(text("axis", x(ply), base + 12, String(ply), "middle"));
    }
    return parts;
}

function text(name, x, y, content, anchor) {
    return drawn("text", { class: name, x, y, "text-anchor": anchor, "dominant-baseline": "middle" }, content);
}

function valueHeight(value) {
    return TOP + ((1 - value) / 2) * VALUES;
}

// Returns whether there is a value to draw. Without one only the times are drawn.
function hasValues(game) {
    return game.moves.some((_, place) => valueOf(game, place + 1) !== null || reviewedValue(game, place + 1) !== null);
}

// Returns the value, by a review, of the position before a ply for the side to move, or null without one. A proven
// result counts as its value.
function reviewedValue(game, ply) {
    const review = reviewOf(game, ply);
    return review === null || review.proven === null ? (review?.value ?? null) : RESULTS[review.proven];
}

// Returns the legend above the charts: the players' colours and the meaning of the signs.
export function chartLegend(game) {
    const shape = GAMES[game.game]?.shape ?? "holes";
    const players = [..."01"].map((player) => {
        const side = sideOf(game, player);
        return element("span", { class: `key p${player}` }, icon(shape, player), `${side} ${nameOf(game, side)}`);
    });
    const plies = Array.from({ length: lastPly(game) }, (_, place) => place + 1);
    const signs = [
        ["▲", t("swing"), swingOf],
        ["!", t("over the limit"), isLate],
        ["◆", t("guard answered"), isGuarded],
    ].filter(([, , happens]) => plies.some((ply) => happens(game, ply)));
    const dots = game.review ? [["┈", t("review by {engine}", { engine: game.review.engine })]] : [];
    const keys = [...signs, ...dots, ...marksOf(game)].map(([sign, word]) =>
        element("span", { class: "key" }, element("b", {}, sign), word),
    );
    const title = hasValues(game) ? t("Values and times") : t("Times");
    return element("div", { class: "legend" }, element("h3", {}, title), players, keys);
}

function timeBase(game) {
    return TOP + (hasValues(game) ? VALUES + GAP : 0) + TIMES;
}

function longestTime(game) {
    return Math.max(0, ...game.wall.slice(0, lastPly(game)));
}

// Returns the curve of the review's values, and the signs of the moves that it marks.
function reviewCurve(game, x) {
    const points = [];
    const marks = [];
    for (let ply = 1; ply <= lastPly(game); ply += 1) {
        const value = seenByFirst(game, ply, reviewedValue(game, ply));
        if (value !== null) {
            points.push([x(ply), valueHeight(value)]);
        }
        marksAt(game, ply).forEach(({ name, sign: letter, word }, place) => {
            const y = valueHeight(value ?? 0) - place * 2 * MARK;
            const told = t("ply {ply}", { ply });
            marks.push(sign(`review-mark ${name}`, letter, x(ply), y, `${told}: ${word}`, ply));
        });
    }
    const curve = { class: "curve of-review", d: pathOf(points), "data-points": points.length };
    return points.length > 0 ? [drawn("path", curve), ...marks] : [];
}

function pathOf(points) {
    return points.map(([px, py], place) => `${place ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
}

// Returns a value, which is for the side that moves at the ply, from the first player's point of view.
function seenByFirst(game, ply, value) {
    return value === null ? null : playerOf(game, game.sides[ply - 1]) === "0" ? value : -value;
}

function curves(game, x) {
    const parts = [];
    for (const player of "01") {
        const points = [];
        for (let ply = 1; ply <= lastPly(game); ply += 1) {
            const isOwn = playerOf(game, game.sides[ply - 1]) === player;
            const value = isOwn ? seenByFirst(game, ply, valueOf(game, ply)) : null;
            if (value !== null) {
                points.push([x(ply), valueHeight(value), ply]);
            }
        }
        parts.push(drawn("path", { class: `curve p${player}`, d: pathOf(points), "data-points": points.length }));
        parts.push(...points.flatMap(([px, py, ply]) => valueMark(game, ply, player, px, py)));
    }
    return parts;
}

function valueMark(game, ply, player, x, y) {
    const swing = swingOf(game, ply);
    if (swing === 0) {
        return [];
    }
    const tip = swing > 0 === (player === "0") ? -1 : 1; // the tip points where the curve goes
    const d = `M${x - MARK} ${y - tip * MARK}h${2 * MARK}L${x} ${y + tip * MARK * 1.3}Z`;
    const told = t("ply {ply}: {side}'s value changes by {change}", {
        ply,
        side: game.sides[ply - 1],
        change: signed(swing),
    });
    return [drawn("path", { class: `swing p${player}`, d, "data-ply": ply }, drawn("title", {}, told))];
}

function bars(game, x, room) {
    const longest = longestTime(game);
    const width = Math.max(1.5, Math.min(14, (room / (lastPly(game) || 1)) * 0.72));
    const base = timeBase(game);
    const parts = [];
    for (let ply = 1; ply <= lastPly(game); ply += 1) {
        const side = game.sides[ply - 1];
        const wall = game.wall[ply - 1];
        const height = longest > 0 && wall !== null ? Math.max(0.6, (wall / longest) * TIMES) : 0;
        const y = base - height;
        const which = t("ply {ply}", { ply });
        const told = `${which}: ${side} ${nameOf(game, side)}, ${seconds(wall)}`;
        const bar = { class: `bar p${playerOf(game, side)}`, x: x(ply) - width / 2, y, width, height, "data-ply": ply };
        parts.push(drawn("rect", bar, drawn("title", {}, told)));
        const beside = isLate(game, ply) && isGuarded(game, ply) ? MARK : 0; // so that both signs have room
        if (isLate(game, ply)) {
            parts.push(sign("late", "!", x(ply) - beside, y, t("ply {ply}: over the limit", { ply }), ply));
        }
        if (isGuarded(game, ply)) {
            parts.push(sign("guard", "◆", x(ply) + beside, y, t("ply {ply}: the bot's guard answered", { ply }), ply));
        }
    }
    return parts;
}

function sign(name, letter, x, y, told, ply) {
    const attributes = {
        class: name,
        x,
        y: y - 6,
        "text-anchor": "middle",
        "dominant-baseline": "middle",
        "data-ply": ply,
    };
    return drawn("text", attributes, letter, drawn("title", {}, told));
}
