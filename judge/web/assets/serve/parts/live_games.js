// The cards of the running games, side by side. A card keeps its place; a new game takes the place of a finished one.

import { element } from "../../view/dom.js";
import { t } from "../../view/words.js";
import { now } from "./clock.js";
import { LiveCard } from "./live_card.js";
import { extend } from "./live_game.js";

const SHOWN_AFTER_S = 20; // how long a finished game is shown if no other game takes its place

export class LiveGames {
    constructor() {
        this.element = element("section", { class: "live-games", "aria-label": t("games being played") });
        this.none = element("p", { class: "none-now" });
        this.cards = [];
        this.changed = new Set();
    }

    // Shows these games and no others.
    reset(games) {
        this.cards = games.map((live) => {
            const card = new LiveCard();
            card.begin(live);
            return card;
        });
        this.place();
        this.cards.forEach((card) => card.show());
    }

    // Shows a game that has begun, or replaces the data of a known game by its complete data.
    begin(live) {
        const known = this.cards.find((card) => card.id === live.id);
        if (known) {
            known.begin(live);
            return;
        }
        const free = this.cards
            .filter((card) => card.endedAt !== null)
            .sort((one, other) => one.endedAt - other.endedAt)[0];
        if (free) {
            free.begin(live);
            return;
        }
        const card = new LiveCard();
        card.begin(live);
        this.cards.push(card);
        this.place();
        card.show();
    }

    // Adds the moves in a message to their game. Returns false if they do not fit, because messages were missed.
    moved(message) {
        const card = this.cards.find((each) => each.id === message.id);
        if (!card || !extend(card.game, message)) {
            return false;
        }
        if (this.changed.size === 0) {
            requestAnimationFrame(() => this.showChanged());
        }
        this.changed.add(card);
        return true;
    }

    // Shows the new moves of all games. Moves that come faster than the screen is drawn are shown together.
    showChanged() {
        this.changed.forEach((card) => card.moved());
        this.changed.clear();
    }

    end(id, ending) {
        this.cards.find((each) => each.id === id && each.endedAt === null)?.end(ending);
    }

    // Removes the card of a game about which no more messages will come.
    drop(id) {
        this.cards = this.cards.filter((card) => card.id !== id);
        this.place();
    }

    tick() {
        const left = this.cards.filter((card) => card.endedAt === null || now() - card.endedAt < SHOWN_AFTER_S);
        if (left.length < this.cards.length) {
            this.cards = left;
            this.place();
        }
        this.cards.filter((card) => card.endedAt === null).forEach((card) => card.tick());
    }

    // Builds all cards anew, after a change of the language.
    build() {
        this.element.setAttribute("aria-label", t("games being played"));
        this.cards.forEach((card) => card.build());
        this.place();
    }

    place() {
        this.none.textContent = t("No game is being played now.");
        const cards = this.cards.map((card) => card.element);
        this.element.replaceChildren(...(cards.length > 0 ? cards : [this.none]));
    }
}
