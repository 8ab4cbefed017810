// A button for an action that cannot be undone. It asks once more before it acts.

import { element } from "../../view/dom.js";
import { spoken } from "../../view/words.js";

export class Confirming {
    // texts() returns {act, question, yes, no}, the texts of the buttons and the question, and `name`, a longer name of
    // the button `act` that tells it from others on the page. act() is called once the reader has confirmed.
    constructor(texts, act) {
        Object.assign(this, { texts, act });
        this.isAsking = false;
        this.element = element("span", { class: "confirming", keydown: (event) => this.press(event) });
    }

    // Shows the button, which is disabled if the action is not possible now, or the question if it is being asked.
    show(isPossible) {
        this.isAsking = this.isAsking && isPossible;
        const shown = `${isPossible} ${this.isAsking} ${spoken()}`;
        if (shown === this.shown) {
            return; // do not replace a button that somebody may be about to press
        }
        this.shown = shown;
        const hadFocus = this.element.contains(document.activeElement);
        const texts = this.texts();
        const press = { type: "button", disabled: !isPossible, click: () => this.ask(true), "aria-label": texts.name };
        const first = element("button", press, texts.act);
        const asked = [
            element("span", { class: "question" }, texts.question),
            element("button", { type: "button", class: "danger", click: () => this.mean() }, texts.yes),
            element("button", { type: "button", click: () => this.ask(false) }, texts.no),
        ];
        this.isPossible = isPossible;
        this.element.replaceChildren(...(this.isAsking ? asked : [first]));
        if (hadFocus) {
            [...this.element.querySelectorAll("button")].at(-1).focus();
        }
    }

    ask(isAsking) {
        this.isAsking = isAsking;
        this.show(this.isPossible);
    }

    mean() {
        this.isAsking = false;
        this.act();
        this.show(this.isPossible);
    }

    press(event) {
        if (event.key === "Escape" && this.isAsking) {
            this.ask(false);
        }
    }
}
