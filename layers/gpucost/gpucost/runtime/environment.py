"""The environment variables of each function, read when a function first works and never at import.

The stack sets exactly these variables on each function. AWS endpoints are botocore's own business
(AWS_ENDPOINT_URL_SQS and its like), and so is the region.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from gpucost.ports import GpucostError


class ConfigurationError(GpucostError):
    """The deployment lacks something or has it wrong. The message names every variable at fault."""


def _names(value: object) -> object:
    return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value


def _or_none(value: str) -> str:
    return "" if value == "none" else value


type Text = Annotated[str, Field(min_length=1)]
type TextOrNone = Annotated[str, Field(min_length=1), AfterValidator(_or_none)]
"""A text; the word none stands for an empty one, because a variable that is empty counts as missing."""
type Flag = Literal["true", "false"]
type Names = Annotated[tuple[str, ...], BeforeValidator(_names), Field(min_length=1)]


class Environment(BaseModel):
    """Variables that a function reads; the alias of a field is the name of its variable."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """Check and take this function's variables. ConfigurationError lists all that are missing or wrong."""
        try:
            return cls.model_validate(dict(environ))
        except ValidationError as error:
            faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].lower()}" for fault in error.errors()]
            raise ConfigurationError(f"set these environment variables: {'; '.join(faults)}") from None

    @classmethod
    def variables(cls) -> frozenset[str]:
        """The names of the variables."""
        return frozenset(str(field.alias) for field in cls.model_fields.values())


def _days(value: object) -> object:
    return None if value == "0" else value


type Days = Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(_days)]


class HasTable(Environment):
    table: Text = Field(alias="GPUCOST_TABLE")


class WritesTable(HasTable):
    """keep_days: how long an hour is kept in the ledger; 0 is for ever."""

    keep_days: Days = Field(alias="GPUCOST_KEEP_DAYS")


class HasClusters(Environment):
    clusters: Names = Field(alias="GPUCOST_CLUSTERS")


class HasSettings(Environment):
    settings_parameter: Text = Field(alias="GPUCOST_SETTINGS_PARAMETER")


class HasDeadLetters(Environment):
    dead_letter_queue_url: Text = Field(alias="GPUCOST_DEAD_LETTER_QUEUE_URL")


class HasReceives(Environment):
    max_receives: Annotated[int, Field(ge=1, le=1000)] = Field(alias="GPUCOST_MAX_RECEIVES")


class HasJobs(Environment):
    jobs_queue_url: Text = Field(alias="GPUCOST_JOBS_QUEUE_URL")


class PlanEnvironment(WritesTable, HasClusters, HasJobs):
    """reach_days: how long the metrics workspace keeps its samples, so how far back gaps can be healed."""

    reach_days: Annotated[int, Field(ge=1, le=1095)] = Field(alias="GPUCOST_REACH_DAYS")


class CollectEnvironment(WritesTable, HasSettings, HasDeadLetters, HasReceives):
    amp_endpoint: Text = Field(alias="GPUCOST_AMP_ENDPOINT")


class PricesEnvironment(HasTable):
    pass


class BillsEnvironment(HasTable, HasClusters, HasJobs):
    """bill_table: database.table of the export in Athena, none where it is CSV."""

    workgroup: Text = Field(alias="GPUCOST_ATHENA_WORKGROUP")
    bill_table: TextOrNone = Field(alias="GPUCOST_BILL_TABLE")


class ExportEnvironment(HasTable, HasClusters):
    export_bucket: TextOrNone = Field(alias="GPUCOST_EXPORT_BUCKET")


class DetectEnvironment(HasTable, HasClusters, HasSettings, HasDeadLetters):
    topic_arn: Text = Field(alias="GPUCOST_TOPIC_ARN")


class NotifyEnvironment(HasTable, HasDeadLetters, HasReceives):
    """slack_channel: where a bot posts, none where a webhook does. interactive: whether Slack's buttons reach us."""

    slack_secret: Text = Field(alias="GPUCOST_SLACK_SECRET")
    slack_token_secret: Text = Field(alias="GPUCOST_SLACK_TOKEN_SECRET")
    slack_channel: TextOrNone = Field(alias="GPUCOST_SLACK_CHANNEL")
    slack_api: Text = Field(alias="GPUCOST_SLACK_API")
    interactive: Flag = Field(alias="GPUCOST_INTERACTIVE")
    api_url: Text = Field(alias="GPUCOST_API_URL")


class InteractEnvironment(HasTable, HasClusters, HasSettings):
    signing_secret: Text = Field(alias="GPUCOST_SIGNING_SECRET")


class ApiEnvironment(HasTable, HasClusters, HasSettings):
    """cursor_secret: the secret that holds the key which pages are signed with."""

    cursor_secret: Text = Field(alias="GPUCOST_CURSOR_SECRET")
