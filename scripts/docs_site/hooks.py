"""MkDocs's hooks: pages keep their places in the repository, and the site has two languages.

A page's name is its path in the repository, so that links are those which GitHub follows. English pages have their
addresses at the root of the site and Chinese ones below zh/, each with a navigation, a language of the theme and an
index of the search for themselves.
"""

import json
import logging
import posixpath
import re
from pathlib import Path

import jieba
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.utils import get_relative_url

REPOSITORY = Path(__file__).resolve().parents[2]
OUTSIDE = ("README.md", "README.zh.md", "CONTRIBUTING.md", "CHANGELOG.md")  # pages that do not lie in docs/
HOMES = {"README.md": "index.html", "README.zh.md": "zh/index.html"}
CHINESE = "zh/"  # where addresses of Chinese pages begin
NAMES = {"en": "English", "zh": "中文"}
OF_DEVELOPERS = 0.3  # what a word on their pages, which are in English only, counts in the search
SEARCH_INDEX = Path("search", "search_index.json")
PREFORMATTED = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
# The end of a line is no space between Chinese characters, nor behind their punctuation; tags may stand beside it.
PUNCTUATION = "\u3000-\u303f\uff00-\uffef"
HAN = "\u2e80-\u2fff\u3400-\u9fff" + PUNCTUATION
TAGS = "((?:<[^>]*>)*)"
CHINESE_LINE_END = re.compile(rf"(?<=[{HAN}]){TAGS}\n{TAGS}(?=[{HAN}])|(?<=[{PUNCTUATION}]){TAGS}\n")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)\)")

navigations = {}  # by language
twins = {}  # addresses of the page in the other language, by a page's path

# jieba, which parts Chinese words for the search, keeps its dictionary where nobody else writes.
jieba.setLogLevel(logging.WARNING)
jieba.dt.tmp_dir = str(REPOSITORY / ".cache")


def slug(heading, _):
    """What follows # in a link to a heading, as GitHub has it."""
    kept = "".join(character for character in heading.lower() if character.isalnum() or character in "_- ")
    return kept.replace(" ", "-")


def chinese_path(path):
    """Where the Chinese page to an English one lies, if there is one."""
    return path.replace("docs/", "docs/zh/") if path.startswith("docs/") else path.removesuffix(".md") + ".zh.md"


def chinese_heading(heading, config):
    """The Chinese name of a heading of the navigation. Raises PluginError where mkdocs.yml has none."""
    if heading not in config.extra["headings"]:
        raise PluginError(f"extra.headings in mkdocs.yml has no Chinese name for {heading!r}")
    return config.extra["headings"][heading]


def chinese_entries(entries, config):
    """Navigation's entries with the Chinese pages in place of the English ones; those without a twin are left out."""
    for entry in entries:
        if isinstance(entry, str):
            if (REPOSITORY / chinese_path(entry)).exists():
                yield chinese_path(entry)
            continue
        ((heading, below),) = entry.items()
        found = list(chinese_entries([below] if isinstance(below, str) else below, config))
        if found:
            yield {chinese_heading(heading, config): found[0] if isinstance(below, str) else found}


def on_config(config):
    """The Chinese navigation stands behind the English one, so that MkDocs makes and checks both."""
    Path(jieba.dt.tmp_dir).mkdir(exist_ok=True)
    config.mdx_configs["toc"] = {"slugify": slug, "permalink": True}
    config.extra["english_entries"] = len(config.nav)
    config.nav = [*config.nav, *chinese_entries(config.nav, config)]
    return config


def on_files(files, config):
    """Name every page and picture as it is called in the repository."""
    of_docs = [file for file in files if Path(file.src_dir) == Path(config.docs_dir)]
    of_theme = [file for file in files if file not in of_docs]
    paths = [*("docs/" + file.src_uri for file in of_docs), *OUTSIDE]
    named = {path: repository_file(path, config) for path in paths}
    twins.clear()
    for path, file in named.items():
        other = named.get(chinese_path(path))
        if other:
            twins[path], twins[other.src_uri] = other.url, file.url
    return Files([*of_theme, *named.values()])


def repository_file(path, config):
    """A file of the repository; its address leaves out docs/."""
    file = File(path, str(REPOSITORY), config.site_dir, use_directory_urls=True)
    file.dest_uri = HOMES.get(path) or file.dest_uri.removeprefix("docs/").lower()
    return file


def on_nav(nav, config, files):
    """Part the two languages. Pages that are in English only stand at the end of the Chinese navigation, too."""
    count = config.extra["english_entries"]
    for language, items in (("en", nav.items[:count]), ("zh", nav.items[count:])):
        pages = [page for page in nav.pages if language_of(page) == language]
        pages[0].previous_page = pages[-1].next_page = None
        navigations[language] = Navigation(items, pages)
        navigations[language].homepage = pages[0]
    known = {item.title for item in navigations["zh"].items}
    navigations["zh"].items += [
        Section(heading, item.children)
        for item in navigations["en"].items
        if item.children and (heading := chinese_heading(item.title, config)) not in known
    ]
    return navigations["en"]


def language_of(page):
    """The language of a page, as HTML names it."""
    return "zh" if page.url.startswith(CHINESE) else "en"


def on_page_markdown(markdown, page, config, files):
    """Links to files that are no pages lead to the repository. The search shows pages for users first."""
    if page.file.src_uri not in twins:
        page.meta["search"] = {"boost": OF_DEVELOPERS}

    def lead(link):
        text, target = link.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), target))
        if "://" in target or files.get_file_from_path(path) or not (REPOSITORY / path).exists():
            return link[0]  # MkDocs says if it leads nowhere
        address = config.extra["repository"]
        return f"[{text}]({address}/blob/HEAD/{path})" if address else text

    return LINK.sub(lead, markdown)


def on_page_content(html, page, config, files):
    """Join Chinese lines."""
    parts = PREFORMATTED.split(html)  # every second one is such a block
    parts[::2] = [CHINESE_LINE_END.sub(lambda end: "".join(filter(None, end.groups())), part) for part in parts[::2]]
    return "".join(parts)


def on_page_context(context, page, config, nav):
    """Set what depends on the language: navigation, the theme's words, the index that is searched, the other page."""
    language = language_of(page)
    other = "zh" if language == "en" else "en"
    address = twins.get(page.file.src_uri) or navigations[other].homepage.url
    config.theme["language"] = language
    context["other_page"] = {"language": other, "name": NAMES[other], "url": address}
    config.extra["scope"] = get_relative_url(".", page.url)  # what a reader has chosen holds for both languages
    context["base_url"] = get_relative_url(CHINESE if language == "zh" else ".", page.url)
    context["nav"] = navigations[language]
    return context


def on_post_build(config):
    """Part the index of the search, which MkDocs's plugin has written for all pages."""
    site = Path(config.site_dir)
    index = json.loads((site / SEARCH_INDEX).read_text("utf-8"))
    parts = {"": [], CHINESE: []}
    for entry in index["docs"]:
        folder = CHINESE if entry["location"].startswith(CHINESE) else ""
        parts[folder].append({**entry, "location": entry["location"].removeprefix(folder)})
    for folder, entries in parts.items():
        path = site / folder / SEARCH_INDEX
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**index, "docs": entries}, ensure_ascii=False, separators=(",", ":")), "utf-8")
