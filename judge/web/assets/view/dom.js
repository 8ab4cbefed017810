// Functions that make elements. Text always becomes a text node, so that no text of a record becomes markup.

const SVG = "http://www.w3.org/2000/svg";

// Returns an HTML element. A function among the attributes listens to the event of its name. An attribute that is null
// or false is left out.
export function element(name, attributes, ...children) {
    return filled(document.createElement(name), attributes, children);
}

// Returns an SVG element, with attributes as for element().
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

// Calls change(), which replaces elements inside `root`. The element that had the focus there gets it again, or the
// element that is in its place afterwards.
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

// Returns a button with a text, and with a longer name for screen readers and as a tooltip.
export function button(text, name, onClick, attributes) {
    return element("button", { type: "button", title: name, "aria-label": name, click: onClick, ...attributes }, text);
}

// Returns a select element with a label before it. options: [[value, text]].
export function choice(label, options, value, onChange) {
    const select = element("select", { change: () => onChange(select.value) });
    for (const [key, text] of options) {
        select.append(element("option", { value: key, selected: key === value }, text));
    }
    return element("label", { class: "choice" }, element("span", {}, label), select);
}

// Returns a checkbox with its label.
export function tick(label, checked, onChange) {
    const box = element("input", { type: "checkbox", change: () => onChange(box.checked) });
    box.checked = checked;
    return element("label", { class: "tick" }, box, element("span", {}, label));
}
