"""Which URLs a webhook may have. Anything else would let whoever can write the secret send requests anywhere."""

from urllib.parse import urlsplit

SLACK_HOSTS = ("hooks.slack.com", "hooks.slack-gov.com")
LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")
PATH = "/services/"


def refusal(url: str) -> str | None:
    """Why the URL is not a Slack webhook's, without repeating any of it; None when it is one.

    Plain http and a port are for loopback only, where a double stands in for Slack.
    """
    if not url.isascii() or not url.isprintable() or any(char in url for char in " \\"):
        return "it holds characters that no URL has"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "it is not a URL"
    local = parts.scheme == "http" and host in LOOPBACK_HOSTS
    checks = (
        (local or parts.scheme == "https", "its scheme is not https"),
        (local or host in SLACK_HOSTS, f"its host is not {' or '.join(SLACK_HOSTS)}"),
        ("@" not in parts.netloc, "it has a user in front of its host"),
        (local or (port is None and not parts.netloc.endswith(":")), "it names a port"),
        (parts.path.startswith(PATH) and len(parts.path) > len(PATH), f"its path does not begin with {PATH}"),
        (".." not in parts.path and "%" not in parts.path and "//" not in parts.path, "its path has odd segments"),
        (not parts.query and not parts.fragment, "it has a query or a fragment"),
    )
    return next((fault for right, fault in checks if not right), None)
