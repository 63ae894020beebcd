"""Print the OpenAPI document: python -m functions.api > openapi.json."""

import sys

from functions.api.app import api
from functions.api.document import text

if __name__ == "__main__":
    sys.stdout.write(text(api.resolver))
