// The entry point of the page of `view`, a single file that contains its games.

import { Games, readPage } from "./data.js";
import { header, settle } from "./frame.js";
import { RecordsPage } from "./records_page.js";
import { setWords } from "./words.js";

const data = await readPage();
setWords(data.words);
settle(data.language);
await new RecordsPage(data, new Games(data.group), header).start();
