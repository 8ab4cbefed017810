// The entry point of the application: shows the page that belongs to the address.

import { setGames } from "../view/games.js";
import { RecordsPage } from "../view/records_page.js";
import { h, kept, mount, settle } from "../view/ui.js";
import { languages, setWords, t, told } from "../view/words.js";
import { ask, Refusal } from "./api.js";
import { PlayPage } from "./pages/play.js";
import { firstPosition, PositionPage } from "./pages/position.js";
import { StartPage } from "./pages/start.js";
import { WatchPage } from "./pages/watch.js";
import { Notice, Top, ways } from "./parts/frame.js";

const MOST_KEPT = 128; // games of a record

// For each page the pattern of its addresses, and the function that shows it. The pattern's groups are its arguments.
const PAGES = [
    [/^\/$/, async (start) => mount(StartPage, { start, lists: await StartPage.lists() })],
    [/^\/records\/(.+)$/, showRecords],
    [/^\/watch\/(.+)$/, async (start, place) => mount(WatchPage, { place })],
    [/^\/play\/([^/]+)$/, async (start, id) => mount(PlayPage, { start, id: decodeURIComponent(id) })],
    [/^\/position$/, async (start) => mount(PositionPage, { start, position: await firstPosition() })],
];

// A Refusal that nobody has caught is shown below the content of the page.
addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof Refusal) {
        event.preventDefault();
        const main = document.querySelector("main");
        main.querySelector(":scope > .trouble")?.remove();
        const notice = document.createElement("p");
        Object.assign(notice, { className: "notice trouble", role: "alert", textContent: told(event.reason.texts) });
        main.append(notice);
    }
});

// Shows the page of a record file: the same as that of `view`, but it gets its games from the server.
async function showRecords(start, place) {
    const { path, summary: data, is_running: isRunning } = await ask(`/api/records/${place}`);
    const watch = () => isRunning && h("a.live", { href: `/watch/${place}` }, t("watch the running games"));
    const gameAt = kept(MOST_KEPT, (index) => ask(`/api/games/${place}?index=${index}`));
    if (data.list.rows.length > 0) {
        const around = { home: "/", ways: () => [ways(), watch()] };
        await new Promise((ready) => mount(RecordsPage, { data, gameAt, ready, ...around }));
        return;
    }
    document.title = `${path} · dropfour`;
    const text = () => h("p", t("No game of this record is finished yet."));
    mount(() => h("main", h(Top, { name: path }, watch()), h("section.panel", text())));
}

// Returns the first of the browser's languages that this page has, such as zh for zh-Hans-CN, or undefined.
function browserLanguage() {
    const wished = navigator.languages.map((name) => name.toLowerCase().split("-")[0]);
    return wished.find((name) => languages().includes(name));
}

async function open() {
    const start = await ask("/api/start");
    setWords(start.words);
    setGames(start.games);
    settle(browserLanguage() ?? start.language);
    for (const [address, show] of PAGES) {
        const place = address.exec(location.pathname);
        if (place) {
            await show(start, place[1]);
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
    mount(() => h("main", h(Top), h(Notice, { texts: error.texts })));
}
document.documentElement.dataset.ready = "yes";
