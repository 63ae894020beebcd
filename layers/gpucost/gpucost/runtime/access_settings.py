"""The settings' section `access`: who may see which BUs through the API."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from gpucost.domain.answers.access import EVERYTHING, AccessRules, Mode, Reach, Rule, Scope, check_principal

type Name = Annotated[str, Field(min_length=1, max_length=256)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class AccessRule(_Section):
    """Gives BUs to an IAM principal, or to the callers whose token has a value in a claim."""

    principal: Annotated[str, AfterValidator(check_principal)] | None = None
    """ARN of an IAM role or user, as IAM shows it; a role's sessions count as the role. `*` at the end is any rest."""
    claim: Name | None = None
    """Name of a claim in the caller's token (cognito:groups)."""
    value: Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^\s,\[\]]+$")] | None = None
    """What the claim has to be, or to contain when it is a list."""
    bus: Literal["all"] | Annotated[tuple[Name, ...], Field(min_length=1)]
    """The BUs, or "all": every BU, and capacity and unallocated cost too."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.principal is None) == (self.claim is None) or (self.claim is None) != (self.value is None):
            raise ValueError("a rule has either a principal, or a claim with its value")
        return self

    def rule(self) -> Rule:
        scope = EVERYTHING if self.bus == "all" else Scope(Reach.SOME, frozenset(self.bus))
        return Rule(scope, self.principal, self.claim, self.value)


class AccessSettings(_Section):
    """Who may see what. Without rules IAM alone decides; with them, whoever has no rule sees nothing."""

    mode: Mode = Mode.ACCOUNT
    """`account`: whoever IAM lets invoke the API sees everything. `rules`: callers see what the rules give to them."""
    rules: tuple[AccessRule, ...] = ()

    @model_validator(mode="after")
    def _rules_are_in_force(self) -> Self:
        if self.rules and self.mode is Mode.ACCOUNT:
            raise ValueError("there are rules, but they are not in force: set mode to rules")
        return self

    def access(self) -> AccessRules:
        """The domain's form of this section."""
        return AccessRules(self.mode, tuple(rule.rule() for rule in self.rules))
