// The running games side by side. A card keeps its place: the next game takes that of one which is over.

import { element } from "../../view/dom.js";
import { t } from "../../view/words.js";
import { now } from "./clock.js";
import { LiveCard } from "./live_card.js";
import { extend } from "./live_game.js";

const SHOWN_AFTER_S = 20; // so long a game that is over stays where no other takes its place

export class LiveGames {
    constructor() {
        this.element = element("section", { class: "live-games", "aria-label": t("games being played") });
        this.none = element("p", { class: "none-now" });
        this.cards = [];
        this.changed = new Set();
    }

    // These games and no others.
    reset(games) {
        this.cards = games.map((live) => {
            const card = new LiveCard();
            card.begin(live);
            return card;
        });
        this.place();
        this.cards.forEach((card) => card.show());
    }

    // A game that has begun, or one that is told of as a whole.
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

    // Whether the moves fit; where they do not, something was missed.
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

    // Moves that come faster than pictures are shown together.
    showChanged() {
        this.changed.forEach((card) => card.moved());
        this.changed.clear();
    }

    end(id, ending) {
        this.cards.find((each) => each.id === id && each.endedAt === null)?.end(ending);
    }

    // The game is not to be heard of any more.
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

    // As for another language.
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
