// Charts over the plies of a game: a curve of the values that both sides stated, and bars of the times that they took.

import { Component } from "./vendor/preact.js";
import { icon } from "./faces/marks.js";
import { described } from "./games.js";
import { isGuarded, isLate, lastPly, nameOf, playerOf, reviewOf, sideOf, swingOf, valueOf } from "./record.js";
import { marksAt, marksOf } from "./review.js";
import { memo, h } from "./ui.js";
import { seconds, signed, t } from "./words.js";

const LEFT = 52;
const RIGHT = 10;
const VALUES = 130; // heights of the charts, in pixels
const TIMES = 74;
const GAP = 22; // between the two charts
const TOP = 12;
const MARK = 4.5;
const RESULTS = { win: 1, draw: 0, loss: -1 };

// Both charts of a game, as wide as their place. pick(ply) is called when a ply is clicked; `ply` is marked, if it is
// more than 0.
export class Charts extends Component {
    state = { width: 0 };

    componentDidMount() {
        this.observer = new ResizeObserver(() => this.measure());
        this.observer.observe(this.base);
    }

    componentWillUnmount() {
        this.observer.disconnect();
    }

    measure() {
        const width = this.base.clientWidth;
        if (width > 0 && Math.abs(width - this.state.width) > 1) {
            this.setState({ width });
        }
    }

    render({ game, ply, pick }, { width }) {
        const isThere = width > 0 && lastPly(game) > 0;
        return h("div.chart-place", isThere && this.chart(game, ply, pick, width));
    }

    chart(game, ply, pick, width) {
        const plies = lastPly(game);
        const place = placing(game, width);
        const clicked = (event) => {
            const chart = event.currentTarget.getBoundingClientRect();
            const at = ((event.clientX - chart.left - LEFT) / place.room) * plies;
            pick?.(Math.min(plies, Math.max(0, Math.ceil(at))));
        };
        const cursor = Math.max(3, place.room / plies);
        return h(
            "svg.charts",
            {
                viewBox: `0 0 ${width} ${place.base + 18}`,
                width,
                height: place.base + 18,
                role: "img",
                "aria-label": t(
                    "chart of the values and times of all plies; the list of moves below says the same in words",
                ),
                onClick: clicked,
            },
            h("rect.cursor", {
                x: place.x(ply) - cursor / 2,
                y: TOP - 4,
                height: place.base - TOP + 8,
                width: cursor,
                visibility: ply > 0 ? "visible" : "hidden",
                "data-ply": ply,
            }),
            h(Drawing, { game, width, plies }),
        );
    }
}

// What the charts show of the plies. It stays as it is while other plies are marked.
const Drawing = memo(({ game, width }) => {
    const place = placing(game, width);
    return [axes(game, width, place), bars(game, place), curves(game, place.x), reviewCurve(game, place.x)];
});

// Returns the base line of the bars, the width of all plies, and x(ply), the middle of a ply.
function placing(game, width) {
    const room = width - LEFT - RIGHT;
    const base = TOP + (hasValues(game) ? VALUES + GAP : 0) + TIMES;
    return { base, room, x: (ply) => LEFT + ((ply - 0.5) / lastPly(game)) * room };
}

// Returns what make(ply) returns for each ply, in a list.
function ofPlies(game, make) {
    return Array.from({ length: lastPly(game) }, (_, place) => make(place + 1));
}

function axes(game, width, { base, x }) {
    const rule = (name, y) => h("line", { class: name, x1: LEFT, x2: width - RIGHT, y1: y, y2: y });
    const parts = [];
    if (hasValues(game)) {
        for (const [value, player] of [[1, "0"], [0], [-1, "1"]]) {
            const name = player ? t("{side} wins", { side: sideOf(game, player) }) : "0";
            parts.push(rule(value ? "rule" : "rule zero", valueHeight(value)));
            parts.push(label(LEFT - 6, valueHeight(value), name, "end"));
        }
    }
    const longest = longestTime(game);
    parts.push(rule("rule", base));
    if (longest > 0) {
        parts.push(label(LEFT - 6, base - TIMES, seconds(longest), "end"));
        if (game.limit !== null && game.limit <= longest * 1.0001) {
            parts.push(rule("limit", base - (game.limit / longest) * TIMES));
        }
    }
    const plies = lastPly(game);
    const step = Math.max(1, Math.ceil(plies / Math.max(2, (width - LEFT) / 46) / 5) * 5);
    for (let ply = step; ply <= plies; ply += step) {
        parts.push(label(x(ply), base + 12, String(ply), "middle"));
    }
    return parts;
}

function label(x, y, text, anchor) {
    return h("text.axis", { x, y, "text-anchor": anchor, "dominant-baseline": "middle" }, text);
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

// The legend above the charts: the players' colours and the meaning of the signs.
export const ChartLegend = memo(({ game }) => {
    const face = described(game.game)?.face ?? "holes";
    const players = [..."01"].map((player) => {
        const side = sideOf(game, player);
        return h("span", { class: `key p${player}` }, icon(face, player), `${side} ${nameOf(game, side)}`);
    });
    const signs = [
        ["▲", t("a side's value has changed by 0.5 or more"), swingOf],
        ["!", t("the move was over the time limit"), isLate],
        ["◆", t("the bot's guard chose the move in place of the search"), isGuarded],
    ].filter(([, , happens]) => ofPlies(game, (ply) => happens(game, ply)).some(Boolean));
    const dotted = game.review ? [["┈", t("values by the review of {engine}", { engine: game.review.engine })]] : [];
    const keys = [...signs, ...dotted, ...marksOf(game)].map(([shape, word]) => h("span.key", h("b", shape), word));
    const title = hasValues(game) ? t("Values and times of moves") : t("Times of moves");
    return h("div.legend", h("h3", title), players, keys);
});

function longestTime(game) {
    return Math.max(0, ...game.wall.slice(0, lastPly(game)));
}

// Returns the curve of the review's values, and the signs of the moves that it marks.
function reviewCurve(game, x) {
    const values = ofPlies(game, (ply) => [ply, seenByFirst(game, ply, reviewedValue(game, ply))]);
    const marks = values.map(([ply, value]) =>
        marksAt(game, ply).map(({ name, sign: letter, word }, place) => {
            const y = valueHeight(value ?? 0) - place * 2 * MARK;
            const title = [t("ply {ply}", { ply }), word].join(": ");
            return sign(`review-mark ${name}`, letter, x(ply), y, title, ply);
        }),
    );
    return values.some(([, value]) => value !== null) && [curve("of-review", values, x), marks];
}

// Returns the curve through values: [[ply, value or null]].
function curve(name, values, x) {
    const points = values
        .filter(([, value]) => value !== null)
        .map(([ply, value]) => `${x(ply).toFixed(1)} ${valueHeight(value).toFixed(1)}`);
    const d = points.length > 0 ? `M${points.join("L")}` : "";
    return h("path", { class: `curve ${name}`, d, "data-points": points.length });
}

// Returns a value, which is for the side that moves at the ply, from the first player's point of view.
function seenByFirst(game, ply, value) {
    return value === null ? null : playerOf(game, game.sides[ply - 1]) === "0" ? value : -value;
}

function curves(game, x) {
    return [..."01"].map((player) => {
        const isOwn = (ply) => playerOf(game, game.sides[ply - 1]) === player;
        const values = ofPlies(game, (ply) => [ply, isOwn(ply) ? seenByFirst(game, ply, valueOf(game, ply)) : null]);
        const marks = values.map(
            ([ply, value]) => value !== null && swingMark(game, ply, player, x(ply), valueHeight(value)),
        );
        return [curve(`p${player}`, values, x), marks];
    });
}

function swingMark(game, ply, player, x, y) {
    const swing = swingOf(game, ply);
    const tip = swing > 0 === (player === "0") ? -1 : 1; // the tip points where the curve goes
    const d = `M${x - MARK} ${y - tip * MARK}h${2 * MARK}L${x} ${y + tip * MARK * 1.3}Z`;
    const fields = { ply, side: game.sides[ply - 1], change: signed(swing) };
    const title = h("title", t("ply {ply}: {side}'s value changes by {change}", fields));
    return swing !== 0 && h("path", { class: `swing p${player}`, d, "data-ply": ply }, title);
}

function bars(game, { base, room, x }) {
    const longest = longestTime(game);
    const width = Math.max(1.5, Math.min(14, (room / lastPly(game)) * 0.72));
    return ofPlies(game, (ply) => {
        const side = game.sides[ply - 1];
        const wall = game.wall[ply - 1];
        const height = longest > 0 && wall !== null ? Math.max(0.6, (wall / longest) * TIMES) : 0;
        const y = base - height;
        const what = t("ply {ply}", { ply });
        const title = h("title", `${what}: ${side} ${nameOf(game, side)}, ${seconds(wall)}`);
        const bar = { class: `bar p${playerOf(game, side)}`, x: x(ply) - width / 2, y, width, height, "data-ply": ply };
        const [late, guarded] = [isLate(game, ply), isGuarded(game, ply)];
        const aside = late && guarded ? MARK : 0; // so that both signs have room
        return [
            h("rect", bar, title),
            late &&
                sign("late", "!", x(ply) - aside, y, t("ply {ply}: the move was over the time limit", { ply }), ply),
            guarded &&
                sign(
                    "guard",
                    "◆",
                    x(ply) + aside,
                    y,
                    t("ply {ply}: the bot's guard chose the move in place of the search", { ply }),
                    ply,
                ),
        ];
    });
}

function sign(name, letter, x, y, title, ply) {
    const place = { x, y: y - 6, "text-anchor": "middle", "dominant-baseline": "middle" };
    return h("text", { class: name, ...place, "data-ply": ply }, letter, h("title", title));
}
