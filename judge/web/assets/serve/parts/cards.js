// The cards of both players of a game, and the card of a game that is being watched.

import { Board } from "../../view/board.js";
import { Charts } from "../../view/charts.js";
import { described } from "../../view/games.js";
import { isKnown, PlayerCard } from "../../view/game_view.js";
import { moveLine } from "../../view/moves.js";
import { lastPly, moverAfter, positionAt } from "../../view/record.js";
import { h, memo } from "../../view/ui.js";
import { seconds, signed, t, told } from "../../view/words.js";
import { clockText, now, Ticking } from "./clock.js";
import { standing } from "./live_game.js";

// The card of a player with its clock. Properties beside those of PlayerCard: `spent`, the seconds of its finished moves;
// turn(), which returns the seconds of the move that it thinks about, or null if it is not to move; hint(seconds), the
// tooltip of its clock; and isLate(seconds).
export function TimedCard({ spent, turn, hint, isLate, ...player }) {
    const draw = () => {
        const running = turn();
        const attributes = { role: "timer", title: hint(running), class: isLate?.(running) ? "late" : null };
        return h("span.clock", attributes, clockText(spent + (running ?? 0)));
    };
    return h(PlayerCard, { ...player, isToMove: turn() !== null, clock: h(Ticking, { draw }) });
}

// The card of a running game: its board, both players with values and clocks, the latest move and the curves. `live` is
// {id, index, game, since: the time of the latest move, ending: how it ended, in words, or ""}; a change makes a new one.
export const LiveCard = memo(({ live }) => {
    const { id, index, game, since, ending } = live;
    const ply = lastPly(game);
    const limit = game.limit !== null && t("at most {limit} s per move", { limit: game.limit });
    const standings = [..."01"].map((player) => standing(game, player));
    const mover = ending || !game.movers ? "-" : moverAfter(game, ply);
    const card = ({ side, name, spent, value }, place) => {
        const turn = () => (mover === String(place) ? now() - since : null);
        const hint = (time) =>
            time === null ? "" : t("has been thinking about this move for {time}", { time: seconds(time) });
        const worth = value === null ? "" : signed(value);
        return h(TimedCard, { game: game.game, player: String(place), side, name, worth, spent, turn, hint });
    };
    const names = Object.fromEntries(standings.map(({ name }, place) => [place, name]));
    return h(
        "article.live-game",
        { class: ending ? "ended" : null, "data-face": described(game.game)?.face, "data-id": id },
        h("h3", t("game {number}", { number: index + 1 })),
        h("p.facts", [told(game.board), limit].filter(Boolean).join(" · ")),
        isKnown(game)
            ? h(Board, { position: positionAt(game, ply, names) })
            : h("div.board", h("p.refusal", t("this page cannot draw the game {game}", { game: game.game }))),
        h("div.players", standings.map(card)),
        h("p.move", ending || (ply > 0 ? moveLine(game, ply) : t("before the first move"))),
        h(Charts, { game, ply: 0 }),
    );
});
