"""Errors as RFC 9457 documents: every one says what is wrong and what to do, and none says what is not the caller's."""

from collections.abc import Mapping
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError as NoRouteError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from gpucost.ports import GpucostError, RequestError
from gpucost.runtime.json_text import json_text
from gpucost.runtime.observability import logger
from gpucost.usecases.alerting.answer_findings import UnknownEpisodeError
from gpucost.usecases.answers.hour_answers import NotFoundError
from gpucost.usecases.answers.paging import ChangedError
from gpucost.usecases.answers.visible import ForbiddenError

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER_SECONDS = 5

_STATUS: dict[type[RequestError], HTTPStatus] = {
    ForbiddenError: HTTPStatus.FORBIDDEN,
    NotFoundError: HTTPStatus.NOT_FOUND,
    UnknownEpisodeError: HTTPStatus.NOT_FOUND,
    ChangedError: HTTPStatus.CONFLICT,
}


def problem(status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> Response[str]:
    """An RFC 9457 problem. `detail` says what is wrong and what to do."""
    document = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": detail}
    return Response(status, PROBLEM_JSON, json_text(document), headers={"Cache-Control": "no-store", **(headers or {})})


def no_route(_: NoRouteError) -> Response[str]:
    return problem(HTTPStatus.NOT_FOUND, "there is nothing at this path; /openapi.json lists the routes")


def refused(error: RequestError) -> Response[str]:
    return problem(_STATUS.get(type(error), HTTPStatus.BAD_REQUEST), str(error))


def invalid(error: RequestValidationError) -> Response[str]:
    """Faults in parameters, each by the parameter's name. What was sent is not repeated."""
    faults = [f"{'.'.join(map(str, one['loc'][1:]))!r}: {str(one['msg']).lower()}" for one in error.errors()]
    return problem(HTTPStatus.BAD_REQUEST, "; ".join(faults))


def failed(error: GpucostError) -> Response[str]:
    logger.error("request failed", reason=str(error), error=type(error).__name__)
    if error.retryable:
        retry = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, "the ledger cannot be read right now; try again soon", retry)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the request failed; its log line has the reason")


def unexpected(error: Exception) -> Response[str]:
    logger.exception("unexpected", error=type(error).__name__)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the request failed; its log line has the reason")
