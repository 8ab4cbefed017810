// The top of every page, and what its reader has chosen for all pages: language and colours.

import { choice, element } from "./dom.js";
import { languages, speak, spoken, t } from "./words.js";

const LANGUAGES = { en: "English", zh: "中文" };

// Language and colours as the reader has chosen them before; where that is nothing, this language and the system's
// colours.
export function settle(language) {
    speak(kept("language") ?? language);
    paint(kept("colours") ?? "");
}

// The header of a page that shows `name`, with the element `middle` (or null) beside it. changed() is called when
// another language has been chosen. `brand` is what the product's name is an element of.
export function header(name, middle, changed, brand = element("span", {})) {
    brand.classList.add("brand");
    brand.replaceChildren("dropfour");
    const title = element("h1", {}, brand, element("span", { class: "files" }, name));
    return element("header", { class: "top" }, title, middle, tools(changed));
}

function tools(changed) {
    const language = choice(
        t("language"),
        languages().map((name) => [name, LANGUAGES[name] ?? name]),
        spoken(),
        (name) => {
            keep("language", name);
            speak(name);
            changed();
        },
    );
    const colours = [
        ["", t("as the system")],
        ["light", t("light")],
        ["dark", t("dark")],
    ];
    const painted = choice(t("colours"), colours, kept("colours") ?? "", (name) => {
        keep("colours", name);
        paint(name);
    });
    return element("div", { class: "tools" }, language, painted);
}

// What the reader has chosen before, where the browser keeps it.
function kept(name) {
    try {
        return localStorage.getItem(`dropfour ${name}`);
    } catch {
        return null;
    }
}

function keep(name, value) {
    try {
        localStorage.setItem(`dropfour ${name}`, value);
    } catch {
        // it holds until the page is closed
    }
}

// "light", "dark", or "" for the system's.
function paint(colours) {
    document.documentElement.dataset.colours = colours;
}
