// The view of one game: its board, the buttons to go through its plies, its charts, its moves, and how it ended.

import { Component } from "./vendor/preact.js";
import { Board } from "./board.js";
import { ChartLegend, Charts } from "./charts.js";
import { icon } from "./faces/marks.js";
import { counts, described } from "./games.js";
import { moveLine, reportFacts } from "./moves.js";
import { Commands, Outcome } from "./outcome.js";
import { codesAt, expectedAfter, hintsAt, lastPly, moverAfter, nameOf, placedUntil, playerOf } from "./record.js";
import { positionAt, sideOf } from "./record.js";
import { badges, ReviewSums } from "./review.js";
import { button, memo, tick, h } from "./ui.js";
import { t, told } from "./words.js";

// The signs on buttons. They are drawings, because every system draws characters of these shapes in its own way.
const SIGNS = {
    first: "M2 2h2v12H2zM14 2v12L5 8z",
    back: "M12 2v12L3 8z",
    play: "M4 1.5v13L15 8z",
    pause: "M3 2h4v12H3zM9 2h4v12H9z",
    on: "M4 2v12l9-6z",
    last: "M12 2h2v12h-2zM2 2v12l9-6z",
};

// Properties: the game, the ply, whether it `isPlaying`, the `ticks` that are set: {numbers, hints, variation}, the
// `heading` above it, the `link` to this position, a `number` that tells the game from others, and what to call: go(ply),
// toggle() to play or to pause, and set(tick, value).
export function GameView(view) {
    const { game, ply, heading, go, number } = view;
    const last = lastPly(game);
    const facts = ply === 0 ? [] : reportFacts(game, ply);
    return h(
        "section.game",
        { "data-face": described(game.game)?.face },
        heading,
        h(
            "div.columns",
            h("div.left", h(Position, view), h(Controls, { ...view, last }), h(Ticks, view)),
            h(
                "div.right",
                h(Players, view),
                h(
                    "p.move",
                    { "aria-live": "polite", role: "status" },
                    ply === 0 ? t("before the first move") : moveLine(game, ply),
                ),
                last > 0 && h("div.curves", h(ChartLegend, { game }), h(Charts, { game, ply, pick: go })),
                h(Moves, { game, ply, last, go }),
                h(
                    "dl.report",
                    facts.map(([name, text]) => [h("dt", name), h("dd", text)]),
                ),
                h(Outcome, { game, key: `outcome ${number}` }),
                h(Commands, { game, key: `commands ${number}` }),
                game.review && h(ReviewSums, { game }),
            ),
        ),
    );
}

function Position({ game, ply, ticks, go }) {
    if (!isKnown(game)) {
        const text = told(game.refusal) || t("this page cannot draw the game {game}", { game: game.game });
        return h("div.board", h("p.refusal", text));
    }
    const named = (player) => `${sideOf(game, player)} ${nameOf(game, sideOf(game, player))}`;
    const position = {
        ...positionAt(game, ply, { 0: named("0"), 1: named("1") }),
        illegal: ply === lastPly(game) ? game.illegal : null,
        numbered: ticks.numbers,
        hints: ticks.hints ? hintsAt(game, ply) : [],
        ghosts: ticks.variation ? expectedAfter(game, ply) : [],
    };
    const pick = (cell) => {
        const taken = placedUntil(game, lastPly(game)).get(cell);
        if (taken !== undefined) {
            go(taken);
        }
    };
    return h(Board, { position, pick });
}

// Returns whether the game's board can be drawn.
export function isKnown(game) {
    return Boolean(described(game.game) && game.changes);
}

function Controls({ ply, last, isPlaying, link, go, toggle }) {
    const press = (name, text, act, attributes) => {
        const path = h("path", { d: SIGNS[name] });
        return button(h("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, path), text, act, attributes);
    };
    const numbers = { min: 0, max: last, value: ply };
    const sliding = (event) => go(Number(event.target.value));
    const jumping = (event) => go(Math.round(Number(event.target.value) || 0));
    const field = {
        type: "number",
        class: "jump",
        "aria-label": t("go to the ply with this number"),
        onChange: jumping,
    };
    return h(
        "div.controls",
        h(
            "div.keys",
            press("first", t("first position"), () => go(0)),
            press("back", t("previous position"), () => go(ply - 1)),
            press(isPlaying ? "pause" : "play", isPlaying ? t("pause the replay") : t("replay the moves"), toggle, {
                class: "play",
            }),
            press("on", t("next position"), () => go(ply + 1)),
            press("last", t("last position"), () => go(last)),
        ),
        h("input", { type: "range", "aria-label": t("the ply that is shown"), onInput: sliding, ...numbers }),
        h("span.jump-to", h("input", { ...field, ...numbers }), h("span", `/ ${last}`)),
        h("a.link", { href: link }, t("link to this position")),
    );
}

function Ticks({ game, ticks, set }) {
    const words = described(game.game);
    const all = [
        ["numbers", t("show move numbers")],
        ["hints", words && told(words.hints)],
        ["variation", game.reports.pv && t("expected moves")],
    ].filter(([, text]) => text);
    const boxes = all.map(([name, text]) => tick(text, ticks[name], (value) => set(name, value)));
    return h("div.ticks", boxes);
}

function Players({ game, ply }) {
    const owned = isKnown(game) ? counts(game.game, game.size, codesAt(game, ply)) : null;
    const isOver = ply === lastPly(game);
    const cards = [..."01"].map((player) => {
        const side = sideOf(game, player);
        const { name, version } = game.players["AB".indexOf(side)];
        const isToMove = !isOver && moverAfter(game, ply) === player;
        const state = isOver && game.winner === side ? t("has won") : isToMove ? t("is to move") : "";
        const count = owned?.[Number(player)];
        return h(PlayerCard, { game: game.game, player, side, name, version, count, state, isToMove });
    });
    return h("div.players", cards);
}

// The card of a player. Properties: the game's name, the player ("0" or "1"), its side, name and `version`; whether it
// `isToMove`; and, if there are any, its `count` of discs or boxes, its `state` in words, its latest value as `worth`,
// and an element with its `clock`.
export function PlayerCard({ game, player, side, name, version, count, state, worth, isToMove, clock }) {
    return h(
        "div.player",
        { class: isToMove ? `p${player} to-move` : `p${player}` },
        icon(described(game)?.face ?? "holes", player),
        h("b.side", side),
        h("span.who", { title: version }, name),
        count !== undefined && h("b.count", String(count)),
        state !== undefined && h("span.state", state),
        worth !== undefined && h("span.worth", worth),
        clock,
    );
}

// The list of moves, in which the move of the ply is marked and in view.
class Moves extends Component {
    componentDidMount() {
        this.observer = new ResizeObserver(() => this.mark()); // calls it at first as soon as the list is laid out
        this.observer.observe(this.base);
    }

    componentDidUpdate() {
        this.mark();
    }

    componentWillUnmount() {
        this.observer.disconnect();
    }

    mark() {
        this.base.querySelector("[aria-current]")?.removeAttribute("aria-current");
        const entry = this.base.querySelector(`[data-ply="${this.props.ply}"]`);
        entry?.setAttribute("aria-current", "step");
        this.base.scrollTop = entry ? entry.offsetTop - this.base.clientHeight / 2 : 0;
    }

    render({ game, last, go }) {
        return h("ol.moves", { "aria-label": t("moves") }, h(Entries, { game, last, go }));
    }
}

// All moves, which are drawn once for a game: there may be many.
const Entries = memo(({ game, last, go }) =>
    Array.from({ length: last }, (_, place) => {
        const ply = place + 1;
        const side = game.sides[place];
        const text = [`${side} ${game.moves[place]}`, badges(game, ply)];
        const attributes = { class: `p${playerOf(game, side)}`, "data-ply": ply };
        const entry = button(text, moveLine(game, ply), () => go(ply), attributes);
        return h("li", h("span.ply", String(ply)), entry);
    }),
);
