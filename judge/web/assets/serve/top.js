// The header of every page of the application: its name, links to the other pages, language and colours.

import { element } from "../view/dom.js";
import { header } from "../view/frame.js";
import { t } from "../view/words.js";

// Returns the header as header() of frame.js does. others: further elements beside the links.
export function top(name, others, changed) {
    const ways = [
        ["/", t("start")],
        ["/position", t("set up a position")],
    ].map(([address, text]) =>
        element("a", { href: address, "aria-current": location.pathname === address ? "page" : null }, text),
    );
    const nav = element("nav", { class: "ways", "aria-label": t("pages") }, ways);
    return header(name, element("div", { class: "middle" }, nav, others), changed, element("a", { href: "/" }));
}
