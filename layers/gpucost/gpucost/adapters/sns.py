"""SNS: the topic that findings go out on, for whoever subscribes."""

import json
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.adapters.aws_text import allowed, escaped_in_json
from gpucost.domain.alerts.finding import Finding
from gpucost.domain.alerts.messages import email_text, finding_subject, notification

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sns.type_defs import MessageAttributeValueTypeDef

PERMISSIONS = ("sns:Publish",)


class SnsPublisher:
    """`ports.Publisher` on an SNS topic. E-mail subscribers get text; everybody else gets the custom notification.

    The attributes bu, kind, severity and step are there for filter policies: one subscription per BU, say.
    """

    def __init__(self, client: "SNSClient", topic_arn: str) -> None:
        self._client = client
        self._topic_arn = topic_arn

    def publish(self, finding: Finding) -> None:
        """Hand the finding to every subscriber. ServiceError, or ServiceUnavailable, when SNS does not take it."""
        document = escaped_in_json(json.dumps(notification(finding), ensure_ascii=False))
        try:
            self._client.publish(
                TopicArn=self._topic_arn,
                Subject=finding_subject(finding),
                MessageStructure="json",
                Message=json.dumps({"default": document, "email": email_text(finding)}),
                MessageAttributes={
                    "bu": _attribute(finding.bu),
                    "kind": _attribute(finding.kind.value),
                    "severity": _attribute(finding.severity.value),
                    "step": _attribute(finding.step.value),
                },
            )
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"publishing finding {finding.id} on {self._topic_arn}") from error


def _attribute(value: str) -> "MessageAttributeValueTypeDef":
    return {"DataType": "String", "StringValue": allowed(value) or "(none)"}
