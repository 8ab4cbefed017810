// The language that the page speaks: every text of it is English in the program and looked up in the judge's catalog.

let catalogs = {};
let language = "en";

// `words` are {language: {English: translated}}.
export function setWords(words) {
    catalogs = words;
}

// All languages there are.
export function languages() {
    return ["en", ...Object.keys(catalogs)];
}

// Speak this language from now on; what is shown already has to be shown again.
export function speak(name) {
    language = languages().includes(name) ? name : "en";
    document.documentElement.lang = language;
    return language;
}

// The language that is spoken.
export function spoken() {
    return language;
}

// A text with its fields, written {name}, filled in.
export function t(text, fields) {
    const form = catalogs[language]?.[text] ?? text;
    return fields ? form.replace(/\{(\w+)\}/g, (_, name) => String(fields[name])) : form;
}

// Of texts by language, as records come with them, the one that is spoken.
export function told(texts) {
    return texts[language] ?? texts.en ?? "";
}

export function gameName(game) {
    return { connect_four: t("connect four"), reversi: t("reversi"), dots: t("dots and boxes") }[game] ?? game;
}

// A time; what is not known is a dash.
export function seconds(value) {
    if (value === null) {
        return "–";
    }
    const digits = value < 0.1 ? 3 : value < 10 ? 2 : 1;
    const number = value > 0 && value < 0.001 ? "< 0.001" : value.toFixed(value ? digits : 0);
    return t("{number} s", { number });
}

// A count with its thousands apart.
export function count(value) {
    const [whole, decimals] = String(value).split(".");
    const apart = whole.replace(/\B(?=(\d{3})+$)/g, " ");
    return decimals === undefined ? apart : `${apart}.${decimals}`;
}

export function signed(value) {
    return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
}
