"""Garbage collection tuned to the work: an hour is hundreds of thousands of small values, and no reference cycles."""

import gc

YOUNG_OBJECTS = 2_000_000


def expect_many_objects() -> None:
    """Look for cycles rarely. Reading a cluster-hour of 10,000 pods spends a third of its time on it otherwise."""
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
