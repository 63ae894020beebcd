"""Slack's buttons: acknowledge or snooze a finding. Slack calls this without AWS credentials, and signs instead."""

import base64
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.ports import GpucostError, RequestError
from gpucost.runtime import container
from gpucost.runtime.environment import InteractEnvironment
from gpucost.runtime.observability import logger, observed
from gpucost.usecases.press_button import NotSlackError, press


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Answers within the three seconds that Slack waits; what went wrong is shown to whoever pressed."""
    parts = container.parts(InteractEnvironment)
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    body = (event.get("body") or "").encode()
    if event.get("isBase64Encoded"):
        body = base64.b64decode(body)
    try:
        press(headers, body, parts.signing_secret, parts.answering, parts.now())
    except NotSlackError:
        logger.warning("a request that Slack did not sign was refused")
        return {"statusCode": int(HTTPStatus.UNAUTHORIZED)}
    except RequestError as error:
        return {"statusCode": int(HTTPStatus.OK), "body": str(error)}
    except GpucostError as error:
        logger.error("a button was not acted on", error=str(error))
        return {"statusCode": int(HTTPStatus.SERVICE_UNAVAILABLE)}
    return {"statusCode": int(HTTPStatus.OK)}
