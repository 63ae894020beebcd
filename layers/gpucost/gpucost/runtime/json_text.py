"""JSON as the API writes it: money as exact numbers, never through a float; other letters than ASCII's as escapes.

The last two are for speed: simplejson's encoder in C knows ASCII only, and to look for named tuples
takes it longer than to write the numbers.
"""

from functools import partial

import simplejson

json_text = partial(
    simplejson.dumps,
    use_decimal=True,
    allow_nan=False,
    separators=(",", ":"),
    ensure_ascii=True,
    namedtuple_as_object=False,
)
