"""A picture of a page, in the 256 colours that fit it best: a third of the bytes that a browser needs for it."""

import io

from PIL import Image

from page_screenshots.browser import PATIENCE_MS

COLOURS = 256


def take(browser, path, window, colours, lead):
    """Write a picture of what `lead(tab)` leads a new tab to, and return its path; window: (width, height)."""
    width, height = window
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=colours)
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    lead(tab)
    save(tab.screenshot(), path)
    context.close()
    return path


def save(png, path):
    """Write a browser's PNG with few colours."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
