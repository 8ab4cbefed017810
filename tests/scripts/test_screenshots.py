"""The documentation's pictures of pages: which there are, and that they lose nothing but rare colours."""

import io

import pytest
from PIL import Image

from page_screenshots import application, shots
from page_screenshots.camera import COLOURS, save
from page_screenshots.shots import sources_of
from tests.places import REPOSITORY

PICTURES = REPOSITORY / "docs" / "pictures"
ALL_OF_THEM = 600_000  # bytes


def test_a_picture_of_few_colours_keeps_every_pixel(tmp_path):
    drawn = Image.new("RGBA", (COLOURS, 5))
    drawn.putdata([((7 * x) % 256, (31 * x) % 256, x, 255) for x in range(COLOURS)] * 5)
    png = io.BytesIO()
    drawn.save(png, "PNG")
    save(png.getvalue(), tmp_path / "small.png")
    kept = Image.open(tmp_path / "small.png")
    assert kept.mode == "P"
    assert kept.convert("RGB").tobytes() == drawn.convert("RGB").tobytes()


@pytest.mark.parametrize("page, taken", [("view", shots.SHOTS), ("serve", application.SHOTS)])
def test_every_picture_is_there_and_shown(page, taken):
    shown = (REPOSITORY / "docs" / f"{page}.md").read_text("utf-8")
    for shot in taken:
        assert f"](pictures/{shot.name})" in shown
        with Image.open(PICTURES / shot.name) as picture:
            assert picture.size == shot.window
    assert sum((PICTURES / shot.name).stat().st_size for shot in taken) < ALL_OF_THEM


@pytest.mark.slow
def test_the_games_shown_are_there():
    for shot in shots.SHOTS:
        sources, names = sources_of(shot.records)
        assert len(sources) >= 20 and len(names) == sources[-1].file + 1
