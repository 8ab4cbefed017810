// The entry point of the page of `view`, a single file that contains its games: JSON that is compressed and written in
// base64, with a group of games in each element.

import { setGames } from "./games.js";
import { RecordsPage } from "./records_page.js";
import { kept, mount, settle } from "./ui.js";
import { setWords } from "./words.js";

const MOST_KEPT = 8; // groups

async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
}

const data = await unpacked("page");
const groupAt = kept(MOST_KEPT, (number) => unpacked(`games-${number}`)); // unpacked when one of its games is asked for
const gameAt = async (index) => (await groupAt(Math.floor(index / data.group)))[index % data.group];

setWords(data.words);
setGames(data.games);
settle(data.language);
await new Promise((ready) => {
    mount(RecordsPage, { data, gameAt, ready });
});
document.documentElement.dataset.ready = "yes";
