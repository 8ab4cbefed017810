// What all pages of the application have: the header with links to the other pages, notices, questions before an action.

import { Component } from "../../view/vendor/preact.js";
import { h, Header } from "../../view/ui.js";
import { t, told } from "../../view/words.js";
import { Refusal } from "../api.js";

// Returns the links to the pages that every reader may want.
export function ways() {
    const all = [
        ["/", t("start page")],
        ["/position", t("set up a position")],
    ].map(([address, text]) =>
        h("a", { href: address, "aria-current": location.pathname === address ? "page" : null }, text),
    );
    return h("nav.ways", { "aria-label": t("pages of dropfour") }, all);
}

// The header of a page with the title `name`, and with further links beside those to the other pages.
export function Top({ name = "", children }) {
    return h(Header, { name, home: "/" }, h("div.middle", ways(), children));
}

// A notice to the reader: a text or texts by language. Screen readers read trouble out at once, news in their time.
export function Notice({ text, texts, kind = "trouble", children }) {
    return h("p.notice", { class: kind, role: kind === "trouble" ? "alert" : "status" }, text ?? told(texts), children);
}

// The place for texts on what is wrong; those that are missing are left out.
export function Troubles({ lines }) {
    const shown = lines.filter(Boolean).map((text) => h(Notice, { key: text, text }));
    return h("div.troubles", shown);
}

// Returns the result of question(), or {refused: texts by language} if the server refuses.
export async function asked(question) {
    try {
        return await question();
    } catch (error) {
        if (!(error instanceof Refusal)) {
            throw error;
        }
        return { refused: error.texts };
    }
}

// A button for an action that cannot be undone. It asks once more before it acts. Properties: the texts {act, question,
// yes, no} of the button and the question, and `name`, a longer name of the button that tells it from others on the
// page; act(), which is called once the reader has confirmed; and `isPossible`.
export class Confirming extends Component {
    state = { isAsking: false };

    componentDidUpdate(properties, { isAsking }) {
        if (isAsking !== this.state.isAsking && this.hadFocus) {
            [...this.base.querySelectorAll("button")].at(-1).focus();
        }
    }

    ask(isAsking) {
        this.hadFocus = this.base.contains(document.activeElement);
        this.setState({ isAsking });
    }

    render({ texts, act, isPossible }, { isAsking }) {
        const press = (text, onClick, attributes) => h("button", { type: "button", onClick, ...attributes }, text);
        const mean = () => {
            this.ask(false);
            act();
        };
        const onKeyDown = (event) => event.key === "Escape" && this.ask(false);
        const first = { key: "act", disabled: !isPossible, "aria-label": texts.name };
        return h(
            "span.confirming",
            { onKeyDown },
            isAsking && isPossible
                ? [
                      h("span.question", texts.question),
                      press(texts.yes, mean, { class: "danger" }),
                      press(texts.no, () => this.ask(false)),
                  ]
                : press(texts.act, () => this.ask(true), first),
        );
    }
}
