"""What AWS said, in this product's errors."""

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)

from gpucost.ports import ServiceError, ServiceUnavailable

_PASSING = {
    "InternalError",
    "InternalFailure",
    "InternalServerError",
    "InternalServiceError",
    "KMSThrottling",
    "KmsThrottled",
    "LimitExceededException",
    "OverLimit",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
    "Throttled",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
_TOO_MANY, _SERVER_ERROR = 429, 500


def explained(error: ClientError | BotoCoreError, doing: str) -> ServiceError:
    """The error as ServiceUnavailable when the same call may succeed later, as ServiceError when it cannot.

    `doing` names the call and its object, such as "reading the parameter /gpucost/settings".
    """
    if isinstance(error, ClientError):
        code = error.response.get("Error", {}).get("Code", "")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        passing = code in _PASSING or status == _TOO_MANY or status >= _SERVER_ERROR
    else:
        lasting = (NoCredentialsError, PartialCredentialsError, ParamValidationError)
        passing = not isinstance(error, lasting)
    kind = ServiceUnavailable if passing else ServiceError
    return kind(f"{doing} failed: {error}")
