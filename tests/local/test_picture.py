"""The picture in the docs is the message as it is now."""

from local.picture import PICTURE, draw


def test_the_picture_shows_the_message_as_it_is() -> None:
    assert PICTURE.read_text() == draw(), "run `make pictures`"


def test_it_shows_what_lets_one_act() -> None:
    picture = draw().replace("&#160;", " ")
    for text in (
        "Idle GPU slice",
        "18.0 GiB of VRAM",
        "bu-a waits for 1",
        "4 hours, $31.92 so far",
        "Acknowledge",
    ):
        assert text in picture
