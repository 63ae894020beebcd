"""The message that a finding travels in: Amazon Q Developer's custom notification, which chat channels show as it is.

https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html describes the shape. Its `additionalContext`
may only hold strings; it carries the whole finding, so that any subscriber can have it back.
"""

from typing import Any

from gpucost.domain.alerts.finding import Finding, Kind, Step, stable_id
from gpucost.domain.alerts.finding_context import context_of, finding_in
from gpucost.domain.alerts.finding_text import described, plain_name, pod_lines, summary, title
from gpucost.domain.wording import cents, code, one_line, shortened, span, subject

NEXT_STEPS = {
    Kind.BU_WASTE: (
        "Scale down or delete the pods that hold GPUs without using them.",
        "Ask for a smaller MIG slice where a pod uses only part of what it holds.",
    ),
    Kind.IDLE_SLICE: (
        "Scale the workload down or delete it; others may be waiting for its slices.",
        "Ask for a smaller MIG slice if it needs only part of what it holds.",
    ),
    Kind.UNALLOCATED: (
        "Scale the GPU node group down, or let more teams use it.",
        "Look whether pending pods ask for another profile than the nodes offer.",
    ),
    Kind.STRANDED: ("Choose a MIG geometry that covers the whole GPU (nvidia.com/mig.config).",),
    Kind.BUDGET: ("Look at the most expensive workloads of the BU, or raise its budget in the settings.",),
    Kind.ANOMALY: ("Look at what the BU runs now and did not run in past weeks.",),
    Kind.DATA_LOSS: (
        "Look whether kube-state-metrics and the DCGM exporter are scraped, and at the dead letters of collect.",
    ),
}
_BU_IN_SUBJECT = 40
# Amazon Q Developer documents no limit; what it forwards has to fit into one section of a Slack message.
_DESCRIPTION_LENGTH = 3000


def finding_subject(finding: Finding) -> str:
    """The subject line of the e-mail about a finding, within Amazon SNS's limits."""
    if finding.kind is not Kind.BU_WASTE or finding.step is not Step.OPEN:
        return subject(f"{title(finding, _short)}, {finding.cluster}")
    bu = shortened(one_line(finding.bu), _BU_IN_SUBJECT)
    return subject(f"GPU waste {cents(finding.waste_usd)}: {bu}, {span(finding.hour)}, {finding.cluster}")


def _short(name: str) -> str:
    return shortened(one_line(name), _BU_IN_SUBJECT)


def notification(finding: Finding) -> dict[str, Any]:
    """The finding as a custom notification. The steps of an episode share a thread."""
    where = f"{code(finding.cluster)}, {span(finding.hour)}"
    return {
        "version": "1.0",
        "source": "custom",
        "id": finding.id,
        "content": {
            "textType": "client-markdown",
            "title": title(finding),
            "description": "\n".join((where, *described(finding, _DESCRIPTION_LENGTH - len(where)))),
            "nextSteps": list(NEXT_STEPS[finding.kind]),
            "keywords": ["GPU", "cost", finding.kind.value],
        },
        "metadata": {
            "threadId": finding.episode or stable_id(finding.kind, finding.cluster, finding.bu),
            "summary": summary(finding),
            "eventType": f"gpucost.{finding.kind.value}",
            "relatedResources": [plain_name(f"{pod.namespace}/{pod.pod}") for pod in finding.pods],
            "additionalContext": context_of(finding),
        },
    }


def email_text(finding: Finding) -> str:
    """The finding as the text of an e-mail."""
    steps = (f"- {step}" for step in NEXT_STEPS[finding.kind])
    pods = pod_lines(finding, plain_name)
    return "\n".join((summary(finding), "", *pods, "", "What to do:", *steps, "", f"Finding {finding.id}", ""))


def finding_of(document: object) -> Finding:
    """The finding that `notification` was given. ValueError, saying what is wrong, when it is anything else."""
    match document:
        case {"version": "1.0", "source": "custom", "id": str(name), "metadata": {"additionalContext": dict(held)}}:
            try:
                return finding_in(name, held)
            except KeyError as error:
                raise ValueError(f"the notification's additionalContext lacks {error}") from None
            except (TypeError, ValueError) as error:
                raise ValueError(f"the notification's additionalContext cannot be read: {error}") from None
    raise ValueError("not a notification of a finding: its version, source, id or additionalContext is missing")
