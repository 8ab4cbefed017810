// What stands packed inside the page: base64 of deflated JSON, a group of games in each element.

async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
}

// The list, the totals and the words; the games themselves come later.
export function readPage() {
    return unpacked("page");
}

// The games of the page, unpacked when they are asked for. The latest few groups stay.
export class Games {
    constructor(group) {
        this.group = group;
        this.kept = new Map();
    }

    // The game of this index, from 0.
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
