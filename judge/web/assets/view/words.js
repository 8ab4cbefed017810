// The page's language. Every text of the page is English in the program and is looked up in the judge's catalog.

let catalogs = {};
let language = "en";

// Sets the translations: `words` is {language: {English text: its translation}}.
export function setWords(words) {
    catalogs = words;
}

// Returns the names of all languages, English first.
export function languages() {
    return ["en", ...Object.keys(catalogs)];
}

// Sets the language, or English if `name` is not known, and returns it. Texts that are shown already do not change.
export function speak(name) {
    language = languages().includes(name) ? name : "en";
    document.documentElement.lang = language;
    return language;
}

// Returns the current language.
export function spoken() {
    return language;
}

// Returns a text in the current language, with its fields, which are written {name}, filled in.
export function t(text, fields) {
    return filled(catalogs[language]?.[text] ?? text, fields);
}

// Returns the text in the current language from texts by language, as the server and records have them.
export function told(texts, fields) {
    return filled(texts[language] ?? texts.en ?? "", fields);
}

function filled(text, fields) {
    return fields ? text.replace(/\{(\w+)\}/g, (_, name) => String(fields[name])) : text;
}

// Returns a time in seconds as a text, or a dash for null, an unknown time.
export function seconds(value) {
    if (value === null) {
        return "–";
    }
    const digits = value < 0.1 ? 3 : value < 10 ? 2 : 1;
    const number = value > 0 && value < 0.001 ? "< 0.001" : value.toFixed(value ? digits : 0);
    return t("{number} s", { number });
}

// Returns a number with its thousands separated.
export function count(value) {
    const [whole, decimals] = String(value).split(".");
    const apart = whole.replace(/\B(?=(\d{3})+$)/g, " ");
    return decimals === undefined ? apart : `${apart}.${decimals}`;
}

export function signed(value) {
    return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
}

// Returns "win", "draw" or "loss" in the current language, or undefined for any other text.
export function proofInWords(result) {
    return { win: t("win"), draw: t("draw"), loss: t("loss") }[result];
}
