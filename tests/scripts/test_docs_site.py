"""The site of the documentation: all its links lead somewhere, and a reader finds pages in either language."""

import contextlib
import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading

import pytest

from tests.judge.web.view.helpers.browser import DESKTOP, NARROW, PHONE, Watched, browser
from tests.places import REPOSITORY

SOURCES = ("mkdocs.yml", "README.md", "README.zh.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "scripts/docs_site")
ENVIRONMENT = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
FIRST = 2  # so many of the pages that a search finds are seen at once
LOADED = ".md-search__output [data-md-component]"  # which the theme's scripts have taken up


__all__ = ["browser"]  # a fixture


def build(checkout, site):
    """MkDocs's build of a checkout, run to its end. (With --quiet it would see no fault.)"""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site]
    return subprocess.run(command, cwd=checkout, env=ENVIRONMENT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder with the site, and the build of it."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    return folder, build(REPOSITORY, folder)


def test_every_link_of_the_documentation_leads_somewhere_and_every_page_has_its_place(site):
    folder, done = site
    assert done.returncode == 0, done.stderr
    for address in ("", "zh/", "view/", "zh/view/", "contributing/", "results/"):
        assert (folder / address / "index.html").is_file(), address


@pytest.mark.slow
def test_what_leads_nowhere_is_named(tmp_path):
    for name in SOURCES:
        source = REPOSITORY / name
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("*.gz"))
        else:
            shutil.copy(source, tmp_path / name)
    links = "[a](none.md) [b](view.md#none) [c](zh/view.md#没有) [d](../CONTRIBUTING.md#none) [e](../none.py)"
    with open(tmp_path / "docs" / "view.md", "a") as page:
        page.write(f"\n{links} ![f](pictures/none.png)\n")
    (tmp_path / "docs" / "new.md").write_text("# New\n")
    (tmp_path / "docs" / "zh" / "serve.md").unlink()
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode == 1
    for said in (
        "  - docs/new.md",
        "link 'none.md', but",
        "link '../none.py', but",
        "link 'pictures/none.png', but",
        "link 'view.md#none', but there is no such anchor",
        "does not contain an anchor '#没有'",
        "'CONTRIBUTING.md' does not contain an anchor '#none'",
        "link 'zh/serve.md', but",
        "'README.zh.md' contains a link 'docs/zh/serve.md', but",
    ):
        assert said in done.stderr, said


@contextlib.contextmanager
def served(folder):
    """The address of a server of the files in a folder."""

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Silent, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def found(tab, query):
    """The headings of the pages that the search finds, without the blanks between Chinese words."""
    if tab.viewport_size["width"] < DESKTOP[0]:
        tab.locator("label.md-header__button[for=__search]").click()
    tab.locator(".md-search__input").click()
    tab.keyboard.insert_text(query)
    tab.keyboard.press("End")  # a key goes up, which the search waits for
    headings = tab.locator(".md-search-result__item h1")
    headings.first.wait_for()
    return [heading.replace("\u200b", "") for heading in headings.all_inner_texts()]


@pytest.mark.slow
def test_pages_fit_are_found_and_lead_to_their_twins(site, browser, tmp_path):
    asked = {
        "": [("crosstable", "Many players"), ("--sanitize", "Why did my bot lose?"), ("src:", "Players")],
        "zh/": [("棋谱", "棋谱和复盘"), ("对抗测试", "对抗测试"), ("沙箱", "AI 的沙箱"), ("--limit 超时", "许多选手")],
    }
    folder, _ = site
    watched = Watched(browser, tmp_path)
    with served(folder) as address:
        for size, colours in ((DESKTOP, "light"), (PHONE, "dark")):
            for language, queries in asked.items():
                for query, title in queries:
                    tab = watched.go(address + language, lambda url: url.startswith(address), size, colours, LOADED)
                    assert tab.evaluate(NARROW)
                    assert title in found(tab, query)[:FIRST], query
            tab = watched.go(address + "view/", lambda url: url.startswith(address), size, colours, LOADED)
            tab.locator(".other-language").click()
            tab.wait_for_url(address + "zh/view/")
            assert tab.locator("html").get_attribute("lang") == "zh"
            assert tab.evaluate(NARROW)
        watched.close()
    assert watched.misdeeds == []
