// The card of a running game: its board, both players with values and clocks, the latest move and the curves.

import { Board } from "../../view/board.js";
import { gameCharts } from "../../view/charts.js";
import { element } from "../../view/dom.js";
import { icon } from "../../view/faces/stones.js";
import { GAMES } from "../../view/games.js";
import { moveLine } from "../../view/moves.js";
import { codesAt, lastPly, moverAfter, placedUntil, placeOf } from "../../view/record.js";
import { seconds, signed, t, told } from "../../view/words.js";
import { clockText, now } from "./clock.js";
import { standing } from "./live_game.js";

export class LiveCard {
    constructor() {
        this.board = new Board(() => {});
        this.element = element("article", { class: "live-game" });
        this.id = null;
        this.width = 0;
    }

    // Shows the game `live` from now on.
    begin(live) {
        Object.assign(this, { id: live.id, number: live.index + 1, game: live.game, ending: "", endedAt: null });
        this.since = now();
        this.build();
    }

    // Builds the whole card, at first and after a change of the language.
    build() {
        const { game } = this;
        this.element.dataset.game = game.game;
        this.element.dataset.id = this.id;
        this.element.classList.toggle("ended", this.endedAt !== null);
        const limit = game.limit === null ? "" : t("limit {limit} s", { limit: game.limit });
        this.title = element("h3", {}, t("game {number}", { number: this.number }));
        const facts = element("p", { class: "facts" }, [told(game.board), limit].filter(Boolean).join(" · "));
        this.players = [..."01"].map((player) => this.playerRow(player));
        this.line = element("p", { class: "move" });
        this.chart = element("div", { class: "chart-place" });
        this.element.replaceChildren(
            this.title,
            facts,
            this.board.element,
            element(
                "div",
                { class: "players" },
                this.players.map((row) => row.element),
            ),
            this.line,
            this.chart,
        );
        this.show();
    }

    playerRow(player) {
        const { side, name } = standing(this.game, player);
        const value = element("span", { class: "worth" });
        const clock = element("span", { class: "clock" });
        const shape = GAMES[this.game.game]?.shape ?? "holes";
        const row = element(
            "div",
            { class: `player p${player}` },
            icon(shape, player),
            element("b", { class: "side" }, side),
            element("span", { class: "who" }, name),
            value,
            clock,
        );
        return { element: row, value, clock };
    }

    // Shows the latest moves, which were added to the game.
    moved() {
        this.since = now();
        this.show();
    }

    show() {
        const { game } = this;
        const ply = lastPly(game);
        if (!GAMES[game.game] || !game.changes) {
            this.board.refuse(t("this page cannot draw {game}", { game: game.game }));
            return;
        }
        const names = Object.fromEntries([..."01"].map((player) => [player, standing(game, player).name]));
        this.board.show({
            game: game.game,
            size: game.size,
            codes: codesAt(game, ply),
            names,
            placed: placedUntil(game, ply),
            last: ply > 0 ? placeOf(game, ply) : null,
            line: game.line,
            numbers: false,
            hints: [],
            ghosts: [],
        });
        this.line.textContent = this.ending || (ply > 0 ? moveLine(game, ply) : t("before the first move"));
        this.tick();
        this.drawChart();
    }

    drawChart() {
        const width = this.chart.clientWidth;
        if (width > 0 && lastPly(this.game) > 0) {
            const charts = gameCharts(this.game, width, () => {});
            charts.show(0);
            this.chart.replaceChildren(charts.element);
        }
    }

    // Shows the present time on the clocks.
    tick() {
        const { game } = this;
        if (!game.movers) {
            return; // the game or its board is unknown here
        }
        const mover = this.endedAt === null ? moverAfter(game, lastPly(game)) : "-";
        this.players.forEach((row, place) => {
            const { spent, value } = standing(game, String(place));
            const isToMove = mover === String(place);
            row.element.classList.toggle("to-move", isToMove);
            row.value.textContent = value === null ? "" : signed(value);
            const turn = isToMove ? now() - this.since : 0;
            row.clock.textContent = clockText(spent + turn);
            row.clock.title = isToMove ? t("thinking for {time}", { time: seconds(turn) }) : "";
        });
    }

    // Shows that the game is over. `ending` is a text that says how it ended.
    end(ending) {
        this.ending = ending;
        this.endedAt = now();
        this.element.classList.add("ended");
        this.show();
    }
}
