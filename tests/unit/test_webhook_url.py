"""Only Slack's own webhooks are ever posted to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.adapters.webhook_url import refusal

GOOD = "https://hooks.slack.com/services/T00000000/B00000000/abcDEF123"


@pytest.mark.parametrize(
    "url",
    [
        GOOD,
        GOOD.replace("hooks.slack.com", "hooks.slack-gov.com"),
        "http://127.0.0.1:8080/services/T0/B0/local",
        "http://localhost:8080/services/T0/B0/local",
        "http://[::1]:8080/services/T0/B0/local",
    ],
)
def test_a_webhook_of_slack_or_a_double_on_loopback_is_taken(url: str) -> None:
    assert refusal(url) is None


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (GOOD.replace("https", "http"), "scheme"),
        (GOOD.replace("https", "ftp"), "scheme"),
        (GOOD.replace("https://", "//"), "scheme"),
        (GOOD.replace("hooks.slack.com", "hooks.slack.com.evil.example"), "host"),
        (GOOD.replace("hooks.slack.com", "evil-hooks.slack.com"), "host"),
        (GOOD.replace("hooks.slack.com", "slack.com"), "host"),
        (GOOD.replace("hooks.slack.com", "hooks.slack.com."), "host"),
        (GOOD.replace("hooks.slack.com", "169.254.169.254"), "host"),
        (GOOD.replace("hooks.slack.com", "hooks.slack.com@evil.example"), "host"),
        (GOOD.replace("hooks.slack.com", "127.0.0.1"), "host"),
        (GOOD.replace("hooks.slack.com", "user:pass@hooks.slack.com"), "user"),
        (GOOD.replace("hooks.slack.com", "@hooks.slack.com"), "user"),
        ("http://user@127.0.0.1:80/services/T/B/x", "user"),
        (GOOD.replace("hooks.slack.com", "hooks.slack.com:8443"), "port"),
        (GOOD.replace("hooks.slack.com", "hooks.slack.com:"), "port"),
        (GOOD.replace("hooks.slack.com", "hooks.slack.com:99999"), "not a URL"),
        (GOOD.replace("hooks.slack.com", "[hooks"), "not a URL"),
        (GOOD.replace("/services/", "/api/"), "path"),
        ("https://hooks.slack.com/services/", "path"),
        ("http://127.0.0.1:9001/2018-06-01/runtime/invocation/next", "path"),
        (GOOD.replace("/T00000000", "/../api"), "segments"),
        (GOOD.replace("/T00000000", "/%2e%2e/api"), "segments"),
        (GOOD.replace("/T00000000", "//evil.example"), "segments"),
        (GOOD + "?redirect=x", "query"),
        (GOOD + "#x", "fragment"),
        (GOOD + "\n", "characters"),
        (GOOD.replace("hooks.slack.com", "hooks.slack.com\\@evil.example"), "characters"),
        (GOOD.replace("hooks", "h\u043eoks"), "characters"),
        ("hello", "scheme"),
    ],
)
def test_anything_else_is_refused_for_a_stated_reason_that_repeats_none_of_it(url: str, says: str) -> None:
    fault = refusal(url)
    assert fault is not None
    assert says in fault
    assert "T00000000" not in fault
    assert "evil" not in fault


@given(st.text())
def test_no_text_at_all_makes_it_fail(text: str) -> None:
    assert refusal(text) is not None
    refusal(f"https://hooks.slack.com/services/{text}")
    refusal(f"https://{text}/services/T/B/x")
