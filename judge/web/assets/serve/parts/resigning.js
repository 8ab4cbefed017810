// The button that gives a game up. It asks once more.

import { element } from "../../view/dom.js";
import { spoken, t } from "../../view/words.js";

export class Resigning {
    // act() is called when it is meant.
    constructor(act) {
        this.act = act;
        this.isAsking = false;
        this.element = element("span", { class: "resigning", keydown: (event) => this.press(event) });
    }

    // isPossible: whether there is something to give up.
    show(isPossible) {
        this.isAsking = this.isAsking && isPossible;
        const shown = `${isPossible} ${this.isAsking} ${spoken()}`;
        if (shown === this.shown) {
            return; // a button that somebody is about to press stays the same one
        }
        this.shown = shown;
        const hadFocus = this.element.contains(document.activeElement);
        const press = { type: "button", disabled: !isPossible, click: () => this.ask(true) };
        const first = element("button", press, t("Resign"));
        const asked = [
            element("span", { class: "question" }, t("Give the game up?")),
            element("button", { type: "button", class: "danger", click: () => this.mean() }, t("Yes, resign")),
            element("button", { type: "button", click: () => this.ask(false) }, t("No, go on")),
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
