"""README and site show the app as it is: `make pictures` draws them again."""

import pytest

from tools.picture import PICTURED, PICTURES, drawn
from tools.recording import recorded


@pytest.mark.parametrize("name", PICTURED)
async def test_a_picture_is_what_the_app_draws(name: str) -> None:
    assert await drawn(PICTURED[name]) == PICTURES.joinpath(f"{name}.svg").read_text()


async def test_the_moving_picture_is_what_the_app_draws() -> None:
    assert await recorded() == PICTURES.joinpath("playing.svg").read_text()
