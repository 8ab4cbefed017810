// A button for what cannot be undone at a click. It asks once more.

import { element } from "../../view/dom.js";
import { spoken } from "../../view/words.js";

export class Confirming {
    // texts() returns {act, question, yes, no}, what its buttons say, and `name`, what `act` is called where it stands
    // among many; act() is called when it is meant.
    constructor(texts, act) {
        Object.assign(this, { texts, act });
        this.isAsking = false;
        this.element = element("span", { class: "confirming", keydown: (event) => this.press(event) });
    }

    // isPossible: whether there is something to do.
    show(isPossible) {
        this.isAsking = this.isAsking && isPossible;
        const shown = `${isPossible} ${this.isAsking} ${spoken()}`;
        if (shown === this.shown) {
            return; // a button that somebody is about to press stays the same one
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
