// The entry point of the application: shows the page that belongs to the address.

import { element } from "../view/dom.js";
import { settle } from "../view/frame.js";
import { languages, setWords, told } from "../view/words.js";
import { ask, Refusal } from "./api.js";
import { playPage } from "./pages/play.js";
import { positionPage } from "./pages/position.js";
import { recordsPage } from "./pages/records.js";
import { startPage } from "./pages/start.js";
import { watchPage } from "./pages/watch.js";
import { notice } from "./parts/notice.js";
import { top } from "./top.js";

// For each page the pattern of its addresses, and the function that shows it. The pattern's groups are its arguments.
const PAGES = [
    [/^\/$/, startPage],
    [/^\/records\/(.+)$/, recordsPage],
    [/^\/watch\/(.+)$/, watchPage],
    [/^\/play\/([^/]+)$/, playPage],
    [/^\/position$/, positionPage],
];

const root = document.getElementById("app");

// A Refusal that nobody has caught is shown below the content of the page.
addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof Refusal) {
        event.preventDefault();
        complain(event.reason);
    }
});

function complain(error) {
    root.querySelector(":scope > .trouble")?.remove();
    root.append(notice(told(error.texts), "trouble"));
}

// Returns the first of the browser's languages that this page has, such as zh for zh-Hans-CN, or undefined.
function browserLanguage() {
    const wished = navigator.languages.map((name) => name.toLowerCase().split("-")[0]);
    return wished.find((name) => languages().includes(name));
}

async function open() {
    const start = await ask("/api/start");
    setWords(start.words);
    settle(browserLanguage() ?? start.language);
    for (const [address, page] of PAGES) {
        const place = address.exec(location.pathname);
        if (place) {
            await page(root, start, place[1]);
            return;
        }
    }
    throw new Refusal(404, { en: "There is no such page.", zh: "没有这个页面。" });
}

try {
    await open();
} catch (error) {
    if (!(error instanceof Refusal)) {
        throw error;
    }
    root.replaceChildren(
        top("", null, () => location.reload()),
        element("p", { class: "trouble notice", role: "alert" }, told(error.texts)),
    );
}
document.documentElement.dataset.ready = "yes";
