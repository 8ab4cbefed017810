// The entry point of the page of `view`, a single file that contains its games: JSON that is compressed and written in
// base64, with a group of games in each element.

import { setGames } from "./games.js";
import { RecordsPage } from "./records_page.js";
import { mount, settle } from "./ui.js";
import { setWords } from "./words.js";

const MOST_KEPT = 8; // groups

async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
}

const data = await unpacked("page");
const groups = new Map(); // a group of games is unpacked when one of them is asked for; the latest groups are kept

async function gameAt(index) {
    const number = Math.floor(index / data.group);
    const games = groups.get(number) ?? unpacked(`games-${number}`);
    groups.delete(number);
    groups.set(number, games);
    if (groups.size > MOST_KEPT) {
        groups.delete(groups.keys().next().value);
    }
    return (await games)[index % data.group];
}

setWords(data.words);
setGames(data.games);
settle(data.language);
await new Promise((ready) => {
    mount(RecordsPage, { data, gameAt, ready });
});
document.documentElement.dataset.ready = "yes";
