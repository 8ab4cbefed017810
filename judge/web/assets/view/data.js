// The data inside the page: JSON that is compressed and written in base64, with a group of games in each element.

async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
}

// Returns the data that the page needs at once: the list, the totals and the texts. The games are read later.
export function readPage() {
    return unpacked("page");
}

// The games of the page. A group of games is unpacked when one of them is asked for; the few latest groups are kept.
export class Games {
    constructor(group) {
        this.group = group;
        this.kept = new Map();
    }

    // Returns the game with this index, from 0.
    async game(index) {
        const number = Math.floor(index / this.group);
        const games = this.kept.get(number) ?? unpacked(`games-${number}`);
        this.kept.delete(number);
        this.kept.set(number, games);
        if (this.kept.size > 8) {
            this.kept.delete(this.kept.keys().next().value);
        }
        return (await games)[index % this.group];
    }
}
