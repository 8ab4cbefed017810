// Elements made of names, attributes and text. Text is always a text node: nothing of a record becomes markup.

const SVG = "http://www.w3.org/2000/svg";

// An HTML element. Attributes that are functions listen to the event of their name; null and false leave one out.
export function element(name, attributes, ...children) {
    return filled(document.createElement(name), attributes, children);
}

// The same of SVG.
export function drawn(name, attributes, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (typeof value === "function") {
            node.addEventListener(name, value);
        } else if (value !== null && value !== undefined && value !== false) {
            node.setAttribute(name, value === true ? "" : String(value));
        }
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
}

// Change what is inside an element; what had the focus there, or stands in its place then, has it again.
export function withFocusKept(root, change) {
    const path = [];
    for (let node = document.activeElement; node !== root; node = node.parentElement) {
        if (node === null) {
            change(); // the focus is elsewhere
            return;
        }
        path.unshift([...node.parentElement?.children ?? []].indexOf(node));
    }
    change();
    path.reduce((node, place) => node?.children[place], root)?.focus({ preventScroll: true });
}

// A button with text, and a longer name for who hears it or rests on it.
export function button(text, name, onClick, attributes) {
    return element("button", { type: "button", title: name, "aria-label": name, click: onClick, ...attributes }, text);
}

// A choice of [value, text], with a label before it.
export function choice(label, options, value, onChange) {
    const select = element("select", { change: () => onChange(select.value) });
    for (const [key, text] of options) {
        select.append(element("option", { value: key, selected: key === value }, text));
    }
    return element("label", { class: "choice" }, element("span", {}, label), select);
}

// A box to tick, with its label.
export function tick(label, checked, onChange) {
    const box = element("input", { type: "checkbox", change: () => onChange(box.checked) });
    box.checked = checked;
    return element("label", { class: "tick" }, box, element("span", {}, label));
}
