"""`python -m local.grafana URL`: puts the data source and the dashboards into a Grafana, by an API token.

GRAFANA_TOKEN holds the token; AMP_ENDPOINT and AWS_REGION name the workspace. Doing it again changes nothing more.
"""

import os
import sys
from collections.abc import Mapping
from typing import Any

import requests

from local.dashboards import api_document, document
from local.errors import StackError
from local.panels import PROMETHEUS_DASHBOARDS

DATASOURCE = "gpucost-amp"
TIMEOUT = 20


def datasource(endpoint: str, region: str) -> dict[str, Any]:
    """The workspace as a data source whose requests are signed with the role of Amazon Managed Grafana."""
    return {
        "uid": DATASOURCE,
        "name": "gpucost (AMP)",
        "type": "prometheus",
        "access": "proxy",
        "url": endpoint.rstrip("/"),
        "jsonData": {
            "httpMethod": "POST",
            "sigV4Auth": True,
            "sigV4AuthType": "ec2_iam_role",
            "sigV4Region": region,
            "timeInterval": "30s",
        },
    }


def apply(url: str, token: str, endpoint: str, region: str) -> int:
    """Put everything there. How many dashboards. StackError says what Grafana refused."""
    headers = {"Authorization": f"Bearer {token}"}
    source = datasource(endpoint, region)
    there = requests.get(f"{url}/api/datasources/uid/{DATASOURCE}", headers=headers, timeout=TIMEOUT)
    if there.status_code == requests.codes.not_found:
        _done(requests.post(f"{url}/api/datasources", json=source, headers=headers, timeout=TIMEOUT), "the data source")
    else:
        _done(there, "the data source")
        put = requests.put(f"{url}/api/datasources/uid/{DATASOURCE}", json=source, headers=headers, timeout=TIMEOUT)
        _done(put, "the data source")
    boards = [*(document(one) for one in PROMETHEUS_DASHBOARDS), api_document()]
    for board in boards:
        body = {"dashboard": {**board, "id": None}, "overwrite": True, "message": "gpucost"}
        answer = requests.post(f"{url}/api/dashboards/db", json=body, headers=headers, timeout=TIMEOUT)
        _done(answer, str(board["title"]))
    return len(boards)


def _done(answer: requests.Response, what: str) -> None:
    if not answer.ok:
        raise StackError(f"Grafana refused {what}: {answer.status_code} {answer.text[:200]}")


def main(arguments: list[str], environ: Mapping[str, str]) -> int:
    missing = [name for name in ("GRAFANA_TOKEN", "AMP_ENDPOINT", "AWS_REGION") if not environ.get(name)]
    if len(arguments) != 1 or missing:
        sys.stderr.write(f"usage: python -m local.grafana URL, with {', '.join(missing) or 'one URL'} set\n")
        return 2
    try:
        token, endpoint, region = (environ[name] for name in ("GRAFANA_TOKEN", "AMP_ENDPOINT", "AWS_REGION"))
        number = apply(arguments[0].rstrip("/"), token, endpoint, region)
    except (StackError, requests.RequestException) as error:
        sys.stderr.write(f"{str(error).replace(environ['GRAFANA_TOKEN'], '[redacted]')}\n")
        return 1
    sys.stdout.write(f"{number} dashboards are in Grafana\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
