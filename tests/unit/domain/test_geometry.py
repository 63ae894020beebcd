"""Ways to cut a GPU: those that there are, and why the others are none."""

from fractions import Fraction

import pytest

from gpucost.domain.gpus.geometry import ANY, WHOLE, Slot, geometry


def test_a_geometry_is_its_slots_the_largest_first() -> None:
    assert geometry("1g.5gb:2, 3g.20gb").slots == (
        Slot(Fraction(3, 7), 20),
        Slot(Fraction(1, 7), 5),
        Slot(Fraction(1, 7), 5),
    )
    assert geometry("1g.5gb,1g.10gb").slots == (Slot(Fraction(1, 7), 10), Slot(Fraction(1, 7), 5))
    assert geometry("7g.40gb").slots == (Slot(Fraction(1), 40),)
    assert (geometry("any"), geometry("whole")) == (ANY, WHOLE)


def test_slices_are_those_of_the_gpu_that_offers_the_profiles() -> None:
    assert geometry("1g.6gb:4").slots == (Slot(Fraction(1, 4), 6),) * 4
    # 1g.10gb is one memory slice of an 80 GB GPU and two of a 40 GB one: seven of them are the larger GPU.
    assert len(geometry("1g.10gb:7").slots) == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a MIG profile"),
        ("3g.20gb:x", "is not a MIG profile"),
        ("3g.20gb:0", "is not a MIG profile"),
        ("3g.20gb:2,", "is not a MIG profile"),
        ("1c.3g.20gb", "is not a MIG profile"),
        ("1g.5gb:9999999999", "is not a MIG profile"),
        ("1g.5gb:\N{SUPERSCRIPT TWO}", "is not a MIG profile"),
        ("3g.20gb:3", "needs 9 compute and 12 memory slices; a GPU has 7 and 8"),
        ("1g.5gb:99", "needs 8 compute"),
        # Two of these take all the memory, and leave a compute slice that nobody can have.
        ("3g.20gb:2,1g.5gb:1", "needs 7 compute and 9 memory slices"),
        ("1g.5gb,1g.6gb", "no GPU offers 1g.5gb, 1g.6gb together"),
        ("5g.25gb", "no GPU offers 5g.25gb together"),
    ],
)
def test_what_is_no_geometry_says_why(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        geometry(text)


def test_a_slot_holds_what_is_no_larger_in_either_way() -> None:
    slot = Slot(Fraction(2, 7), 10)
    assert slot.holds(Slot(Fraction(1, 7), 10))
    assert slot.holds(Slot(Fraction(2, 7)))
    assert not slot.holds(Slot(Fraction(1, 7), 20))
    assert not slot.holds(Slot(Fraction(3, 7), 5))
    assert WHOLE.slots[0].holds(Slot(Fraction(1), 400))
