"""How hard the properties are tried: hard by default, briefly where each change of the code is tried (mutation)."""

import os

from hypothesis import HealthCheck, settings

EVERY = list(HealthCheck)
settings.register_profile("thorough", max_examples=150, deadline=None, suppress_health_check=EVERY)
settings.register_profile(
    "mutation", max_examples=5, deadline=None, suppress_health_check=EVERY, derandomize=True, database=None
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "thorough"))
