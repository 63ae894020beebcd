"""Slack's buttons: acknowledge or snooze a finding. Slack calls this without AWS credentials, and signs instead."""

import base64
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.ports import GpucostError
from gpucost.runtime import container
from gpucost.runtime.environment import InteractEnvironment
from gpucost.runtime.observability import logger, observed
from gpucost.usecases.alerting.press_button import NotSlackError, press


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Answers within the three seconds that Slack waits; what came of it is shown to whoever pressed."""
    parts = container.parts(InteractEnvironment)
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    body = (event.get("body") or "").encode()
    if event.get("isBase64Encoded"):
        body = base64.b64decode(body)
    try:
        said = press(headers, body, parts.signing_secret, parts.answering, parts.now())
    except NotSlackError:
        logger.warning("a request that Slack did not sign was refused")
        return {"statusCode": int(HTTPStatus.UNAUTHORIZED)}
    except GpucostError as error:
        logger.error("a button was not acted on", error=str(error))
        return {"statusCode": int(HTTPStatus.SERVICE_UNAVAILABLE)}
    if said is None:
        return {"statusCode": int(HTTPStatus.OK)}
    failure = parts.tell_whoever_pressed(said.to, said.text) if said.to else ""
    if failure:
        logger.warning("whoever pressed a button was not answered", reason=failure)
    return {"statusCode": int(HTTPStatus.OK), "body": said.text}
