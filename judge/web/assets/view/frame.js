// The header of every page, and the reader's settings for all pages: language and colours.

import { choice, element } from "./dom.js";
import { languages, speak, spoken, t } from "./words.js";

const LANGUAGES = { en: "English", zh: "中文" };

// Applies the language and the colours that the reader has chosen before. Without such a choice, applies `language` and
// the colours of the system.
export function settle(language) {
    speak(kept("language") ?? language);
    paint(kept("colours") ?? "");
}

// Returns the header of a page with the title `name`, and with the element `middle`, if it is not null, beside it.
// changed() is called after another language was chosen. `brand` is the element that gets the product's name.
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

// Returns a setting that the reader has chosen before, if the browser has stored it.
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
        // the browser stores nothing: the setting holds until the page is closed
    }
}

// Sets the colours: "light", "dark", or "" for those of the system.
function paint(colours) {
    document.documentElement.dataset.colours = colours;
}
