// The list of a game's moves so far.

import { element } from "../../view/dom.js";
import { moveLine } from "../../view/moves.js";
import { playerOf } from "../../view/record.js";
import { t } from "../../view/words.js";

export class MoveList {
    constructor() {
        this.element = element("ol", { class: "moves plain" });
    }

    show(game) {
        this.element.setAttribute("aria-label", t("moves"));
        const entries = game.moves.map((move, place) =>
            element(
                "li",
                { title: moveLine(game, place + 1) },
                element("span", { class: "ply" }, String(place + 1)),
                element("span", { class: `made p${playerOf(game, game.sides[place])}` }, move),
            ),
        );
        this.element.hidden = entries.length === 0;
        this.element.replaceChildren(...entries);
        this.element.scrollTop = this.element.scrollHeight;
    }
}
