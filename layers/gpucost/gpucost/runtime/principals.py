"""The caller of a request, as API Gateway authenticated it."""

from collections.abc import Mapping
from typing import Any

from gpucost.domain.answers.access import Principal


def principal_of(event: Mapping[str, Any]) -> Principal:
    """The caller from an event of either payload format: a token's claims if there are any, else the IAM identity."""
    context = _mapping(event.get("requestContext"))
    authorizer = _mapping(context.get("authorizer"))
    for claims in (_mapping(authorizer.get("jwt")).get("claims"), authorizer.get("claims")):
        if isinstance(claims, Mapping):
            return Principal(claims={str(name): str(value) for name, value in claims.items()})
    for identity in (authorizer.get("iam"), context.get("identity")):
        arn = _mapping(identity).get("userArn")
        if isinstance(arn, str) and arn:
            return Principal(arn=arn)
    return Principal()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
