// The view of one game: its board, the buttons to go through its plies, its charts, its moves, and how it ended.

import { Board } from "./board.js";
import { chartLegend, gameCharts } from "./charts.js";
import { button, element, tick } from "./dom.js";
import { icon } from "./faces/stones.js";
import { counts, GAMES } from "./games.js";
import { moveLine, reportFacts } from "./moves.js";
import { commands, outcome } from "./outcome.js";
import {
    codesAt,
    expectedAfter,
    hintsAt,
    lastPly,
    moverAfter,
    nameOf,
    placedUntil,
    placeOf,
    playerOf,
    sideOf,
} from "./record.js";
import { badges } from "./review/marks.js";
import { reviewSums } from "./review/sums.js";
import { sign } from "./signs.js";
import { t, told } from "./words.js";

const PLAY_MS = 700; // how long each ply is shown while the game is played back
const DEFAULTS = { numbers: true, hints: false, variation: false };

export class GameView {
    // Calls moved(ply) when another position is shown.
    constructor(moved) {
        this.moved = moved;
        this.options = { ...DEFAULTS };
        this.element = element("section", { class: "game" });
        this.board = new Board((cell) => this.pick(cell));
        this.timer = null;
        this.width = 0;
        new ResizeObserver(() => this.resize()).observe(this.element);
    }

    // Shows a game, given by its JSON, at a ply. heading: the elements above it.
    open(game, ply, heading) {
        this.stop();
        this.game = game;
        this.last = lastPly(game);
        this.ply = Math.min(Math.max(0, ply), this.last);
        this.heading = heading;
        this.build();
        this.show();
    }

    // Builds the whole view, at first and after a change of the language.
    build() {
        const { game } = this;
        this.element.dataset.game = game.game;
        this.players = element("div", { class: "players" });
        this.live = element("p", { class: "move", "aria-live": "polite", role: "status" });
        this.report = element("dl", { class: "report" });
        this.chartPlace = element("div", { class: "chart-place" });
        this.list = element("ol", { class: "moves", "aria-label": t("moves") });
        for (let ply = 1; ply <= this.last; ply += 1) {
            const text = [`${game.sides[ply - 1]} ${game.moves[ply - 1]}`, badges(game, ply)].flat();
            const entry = button(text, moveLine(game, ply), () => this.go(ply), {
                class: `p${playerOf(game, game.sides[ply - 1])}`,
                "data-ply": ply,
            });
            this.list.append(element("li", {}, element("span", { class: "ply" }, String(ply)), entry));
        }
        const left = element("div", { class: "left" }, this.board.element, this.controls(), this.ticks());
        const right = element(
            "div",
            { class: "right" },
            this.players,
            this.live,
            this.last > 0 ? element("div", { class: "curves" }, chartLegend(game), this.chartPlace) : null,
            this.list,
            this.report,
            outcome(game),
            commands(game),
            reviewSums(game),
        );
        this.element.replaceChildren(this.heading(), element("div", { class: "columns" }, left, right));
        this.drawCharts();
    }

    controls() {
        this.playButton = button(sign("play"), t("play"), () => this.toggle(), { class: "play" });
        this.slider = element("input", {
            type: "range",
            min: 0,
            max: this.last,
            "aria-label": t("ply"),
            input: () => this.go(Number(this.slider.value)),
        });
        this.field = element("input", {
            type: "number",
            min: 0,
            max: this.last,
            class: "jump",
            "aria-label": t("go to ply"),
            change: () => this.go(Math.round(Number(this.field.value) || 0)),
        });
        const buttons = [
            button(sign("first"), t("first position"), () => this.go(0)),
            button(sign("back"), t("back"), () => this.go(this.ply - 1)),
            this.playButton,
            button(sign("on"), t("on"), () => this.go(this.ply + 1)),
            button(sign("last"), t("last position"), () => this.go(this.last)),
        ];
        const jump = element("span", { class: "jump-to" }, this.field, element("span", {}, `/ ${this.last}`));
        this.link = element("a", { class: "link" }, t("link to this position"));
        const keys = element("div", { class: "keys" }, buttons);
        return element("div", { class: "controls" }, keys, this.slider, jump, this.link);
    }

    ticks() {
        const hints = { connect_four: t("threats"), reversi: t("legal moves"), dots: t("chains") };
        const change = (name) => (value) => {
            this.options[name] = value;
            this.show();
        };
        const all = [tick(t("move numbers"), this.options.numbers, change("numbers"))];
        if (this.game.game in hints) {
            all.push(tick(hints[this.game.game], this.options.hints, change("hints")));
        }
        if (this.game.reports.pv) {
            all.push(tick(t("expected moves"), this.options.variation, change("variation")));
        }
        return element("div", { class: "ticks" }, all);
    }

    resize() {
        const width = this.chartPlace?.clientWidth ?? 0;
        if (width > 0 && Math.abs(width - this.width) > 1) {
            this.drawCharts();
        }
    }

    drawCharts() {
        this.scrollToMove();
        this.width = this.chartPlace.clientWidth;
        if (this.width > 0 && this.last > 0) {
            this.charts = gameCharts(this.game, this.width, (ply) => this.go(ply));
            this.chartPlace.replaceChildren(this.charts.element);
            this.charts.show(this.ply);
        }
    }

    // Handles a click on a cell: goes to the ply that took it.
    pick(cell) {
        const ply = placedUntil(this.game, this.last).get(cell);
        if (ply !== undefined) {
            this.go(ply);
        }
    }

    go(ply) {
        this.stop();
        this.step(ply);
    }

    step(ply) {
        this.ply = Math.min(Math.max(0, ply), this.last);
        this.show();
        this.moved(this.ply);
    }

    toggle() {
        if (this.timer !== null) {
            this.stop();
            return;
        }
        if (this.ply === this.last) {
            this.step(0);
        }
        this.timer = setInterval(() => {
            this.step(this.ply + 1);
            if (this.ply === this.last) {
                this.stop();
            }
        }, PLAY_MS);
        this.showPlaying();
    }

    stop() {
        clearInterval(this.timer);
        this.timer = null;
        if (this.playButton) {
            this.showPlaying();
        }
    }

    showPlaying() {
        const playing = this.timer !== null;
        this.playButton.replaceChildren(sign(playing ? "pause" : "play"));
        const name = playing ? t("pause") : t("play");
        this.playButton.title = name;
        this.playButton.setAttribute("aria-label", name);
    }

    show() {
        const { game, ply } = this;
        const rules = GAMES[game.game];
        if (rules && game.changes) {
            const codes = codesAt(game, ply);
            const mover = moverAfter(game, ply);
            this.board.show({
                game: game.game,
                size: game.size,
                codes,
                names: { 0: this.named("0"), 1: this.named("1") },
                placed: placedUntil(game, ply),
                last: ply > 0 ? placeOf(game, ply) : null,
                line: ply === this.last ? game.line : [],
                illegal: ply === this.last ? game.illegal : null,
                numbers: this.options.numbers,
                hints: this.options.hints ? hintsAt(game, ply) : [],
                ghosts: this.options.variation ? expectedAfter(game, ply) : [],
            });
            this.showPlayers(rules.shape, counts(game.game, game.size, codes), mover);
        } else {
            this.board.refuse(told(game.refusal) || t("this page cannot draw {game}", { game: game.game }));
            this.showPlayers("holes", null, "-");
        }
        this.showMove();
    }

    named(player) {
        const side = sideOf(this.game, player);
        return `${side} ${nameOf(this.game, side)}`;
    }

    showPlayers(shape, owned, mover) {
        const { game, ply } = this;
        const cards = [..."01"].map((player) => {
            const side = sideOf(game, player);
            const { name, version } = game.players["AB".indexOf(side)];
            const states = [];
            if (ply === this.last && game.winner === side) {
                states.push(t("wins"));
            } else if (mover === player && ply < this.last) {
                states.push(t("to move"));
            }
            return element(
                "div",
                { class: `player p${player} ${mover === player && ply < this.last ? "to-move" : ""}` },
                icon(shape, player),
                element("b", { class: "side" }, side),
                element("span", { class: "who", title: version ?? "" }, name),
                owned ? element("b", { class: "count" }, String(owned[Number(player)])) : null,
                element("span", { class: "state" }, states.join(", ")),
            );
        });
        this.players.replaceChildren(...cards);
    }

    showMove() {
        const { game, ply } = this;
        this.live.textContent = ply === 0 ? t("before the first move") : moveLine(game, ply);
        const facts = ply === 0 ? [] : reportFacts(game, ply);
        this.report.replaceChildren(
            ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
        );
        this.slider.value = ply;
        this.field.value = ply;
        this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
        this.list.querySelector(`[data-ply="${ply}"]`)?.setAttribute("aria-current", "step");
        this.scrollToMove();
        this.charts?.show(ply);
    }

    scrollToMove() {
        const entry = this.list.querySelector("[aria-current]");
        this.list.scrollTop = entry ? entry.offsetTop - this.list.clientHeight / 2 : 0;
    }
}
