"""JSON as the API writes it: money as exact numbers, never through a float."""

from functools import partial

import simplejson

json_text = partial(simplejson.dumps, use_decimal=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
