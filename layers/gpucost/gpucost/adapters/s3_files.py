"""S3 as the place of exported files."""

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PERMISSIONS = ("s3:PutObject",)


class S3Files:
    """`export_costs.Files` in a bucket."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, body: bytes) -> None:
        try:
            self._client.put_object(Bucket=self._bucket, Key=key, Body=body, ContentType="application/x-ndjson")
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"writing s3://{self._bucket}/{key}") from error
