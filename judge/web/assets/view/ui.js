// What all pages share: their place in the document, their header, the reader's settings, and small inputs.

import { Component, createElement, options, render } from "./vendor/preact.js";
import { languages, speak, spoken, t } from "./words.js";

const LANGUAGES = { en: "English", zh: "中文" };

options.debounceRendering = (draw) => draw(); // so that a change of a state is on the screen at once

// Returns an element of Preact: h("p.note", attributes, ...children). Its name may have classes, and attributes may be
// left out. Text always becomes a text node, so that no text of a record becomes markup.
export function h(name, ...children) {
    const attributes = children[0]?.constructor === Object ? children.shift() : {};
    if (typeof name !== "string" || !name.includes(".")) {
        return createElement(name, attributes, ...children);
    }
    const [tag, ...classes] = name.split(".");
    const all = [...classes, attributes.class].filter(Boolean).join(" ");
    return createElement(tag, { ...attributes, class: all }, ...children);
}

let redraw = () => {};

// Shows a page, a component with its properties, and shows it anew after a change of the language.
export function mount(page, properties) {
    const root = document.getElementById("app");
    redraw = () => render(h(page, properties), root);
    root.replaceChildren(); // what stands there until the program runs
    redraw();
}

// Returns a component that is drawn again only if the language or one of the values has changed that valuesOf() returns
// for its properties: all of them, if it is not given.
export function memo(draw, valuesOf = Object.values) {
    return class extends Component {
        shouldComponentUpdate(next) {
            const before = this.values;
            this.values = [spoken(), ...valuesOf(next)];
            return this.values.some((value, place) => value !== before[place]);
        }

        render(properties) {
            this.values ??= [spoken(), ...valuesOf(properties)];
            return draw(properties);
        }
    };
}

// Applies the language and the colours that the reader has chosen before. Without such a choice, applies `language` and
// the colours of the system.
export function settle(language) {
    speak(setting("language") ?? language);
    document.documentElement.dataset.colours = setting("colours") ?? "";
}

// The header of a page with the title `name`, and with the properties' children beside it. `home` is the address to
// which the product's name leads, if it leads anywhere.
export function Header({ name, home, children }) {
    const brand = h(home ? "a" : "span", { href: home, class: "brand" }, "dropfour");
    const title = h("h1", brand, h("span.files", name));
    return h("header.top", title, children, h(Tools));
}

const Tools = memo(() => {
    const colours = { "": t("system colours"), light: t("light colours"), dark: t("dark colours") };
    const speaking = (name) => {
        keep("language", name);
        speak(name);
        redraw();
    };
    const painting = (name) => {
        keep("colours", name);
        document.documentElement.dataset.colours = name;
    };
    const all = languages().map((name) => [name, LANGUAGES[name] ?? name]);
    return h(
        "div.tools",
        choice(t("language"), all, spoken(), speaking),
        choice(t("colours"), colours, document.documentElement.dataset.colours, painting),
    );
});

// Returns a setting that the reader has chosen before, if the browser has stored it.
function setting(name) {
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

// Returns a function that returns the promise of make(key). The results for the `most` latest keys are kept.
export function kept(most, make) {
    const latest = new Map();
    return (key) => {
        const found = latest.get(key) ?? make(key);
        latest.delete(key);
        latest.set(key, found);
        found.catch(() => latest.delete(key));
        if (latest.size > most) {
            latest.delete(latest.keys().next().value);
        }
        return found;
    };
}

// Returns a button with a text, and with a longer name for screen readers and as a tooltip.
export function button(text, name, onClick, attributes) {
    return h("button", { type: "button", title: name, "aria-label": name, onClick, ...attributes }, text);
}

// Returns an input with a label before it.
export function labelled(label, input, attributes) {
    return h("label.choice", { ...attributes }, h("span", label), input);
}

// Returns a select element with a label before it. all: [[value, text]], or an object with a text for each value.
export function choice(label, all, value, onChange) {
    const shown = (Array.isArray(all) ? all : Object.entries(all)).map(([key, text]) =>
        h("option", { key, value: key, selected: key === value }, text),
    );
    return labelled(label, h("select", { value, onChange: (event) => onChange(event.target.value) }, shown));
}

// Returns a checkbox with its label.
export function tick(label, checked, onChange, attributes) {
    const changed = (event) => onChange(event.target.checked);
    const box = h("input", { type: "checkbox", checked, onChange: changed, ...attributes });
    return h("label.tick", box, h("span", label));
}

// Returns a table. A row is a list of cells, or {cells, ...attributes}; a cell is a text, or {text, ...attributes}. The
// first cell of a row names the row.
export function table(headings, rows, attributes) {
    const cell = (name, shown, more) => {
        const { text, ...own } = shown?.constructor === Object ? shown : { text: shown };
        return h(name, { ...more, ...own }, text);
    };
    const row = ({ cells, ...own }) => {
        const [first, ...others] = cells;
        return h("tr", own, cell("th", first, { scope: "row" }), ...others.map((text) => cell("td", text)));
    };
    const head = headings.map((text) => cell("th", text, { scope: "col" }));
    const body = rows.map((each) => row(Array.isArray(each) ? { cells: each } : each));
    return h("table", attributes, h("thead", h("tr", head)), h("tbody", body));
}
