// The cards of both players of a game that the reader plays: names, counts, clocks, and who is to move.

import { element } from "../../view/dom.js";
import { icon } from "../../view/faces/stones.js";
import { counts, GAMES } from "../../view/games.js";
import { codesAt, lastPly, sideOf } from "../../view/record.js";
import { seconds, t } from "../../view/words.js";
import { clockText, now } from "./clock.js";

export class PlayerCards {
    constructor() {
        this.element = element("div", { class: "players" });
    }

    // state: the state of the table from the server. received: the time at which it came, by now() of clock.js.
    show(state, received) {
        const { game } = state;
        Object.assign(this, { state, received });
        const owned = counts(game.game, game.size, codesAt(game, lastPly(game)));
        this.cards = [..."01"].map((player) => {
            const side = sideOf(game, player);
            const isHuman = side === state.human;
            const clock = element("span", { class: "clock", role: "timer" });
            const name = isHuman ? t("you") : state.player;
            const card = element(
                "div",
                { class: `player p${player}` },
                icon(GAMES[game.game].shape, player),
                element("b", { class: "side" }, side),
                element("span", { class: "who" }, name),
                owned ? element("b", { class: "count" }, String(owned[Number(player)])) : null,
                element("span", { class: "state" }, this.inWords(side, isHuman)),
                clock,
            );
            card.classList.toggle("to-move", state.turn === (isHuman ? "human" : "player"));
            return { isHuman, clock, element: card };
        });
        this.element.replaceChildren(...this.cards.map((card) => card.element));
        this.tick();
    }

    inWords(side, isHuman) {
        const { game, turn } = this.state;
        if (turn === null) {
            return game.winner === side ? t("wins") : "";
        }
        return turn === (isHuman ? "human" : "player") ? t("to move") : "";
    }

    // Shows the present time on the clocks.
    tick() {
        if (!this.state) {
            return;
        }
        const { clock, turn, limit_s: limit } = this.state;
        for (const card of this.cards) {
            const isTurn = turn === (card.isHuman ? "human" : "player");
            const running = isTurn ? clock.turn_s + now() - this.received : 0;
            const spent = card.isHuman ? clock.human_s : clock.player_s;
            card.clock.textContent = clockText(spent + running);
            card.clock.classList.toggle("late", isTurn && !card.isHuman && running > limit);
            card.clock.title = card.isHuman
                ? t("no limit")
                : t("{time} of at most {limit} for a move", { time: seconds(running), limit: seconds(limit) });
        }
    }
}
