"""Who may see what: the one place that decides it.

A caller may see everything (capacity, what nobody held, every BU), or the BUs that rules give to it, or nothing.
Everything that leaves through the API is filtered by the `Scope` that comes out of here.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

_ARN = re.compile(r"arn:(?P<partition>aws[a-z-]*):(?:iam|sts)::(?P<account>\d{12}):(?P<kind>[a-z-]+)(?:/(?P<name>.*))?")
_RULE_ARN = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:(?:root|(?:role|user)/(?:[\w+=,.@-]+/)*[\w+=,.@-]*\*?)")


class Mode(StrEnum):
    """`account`: whoever IAM lets invoke the API sees everything. `rules`: a caller sees what rules give to it."""

    ACCOUNT = "account"
    RULES = "rules"


class Reach(StrEnum):
    """Everything, or the named BUs only. An enumeration, so that "no BU" can never be taken for "no limit"."""

    EVERYTHING = "everything"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Scope:
    """What one caller may see."""

    reach: Reach
    bus: frozenset[str] = frozenset()

    @property
    def sees_everything(self) -> bool:
        return self.reach is Reach.EVERYTHING

    @property
    def sees_nothing(self) -> bool:
        return self.reach is Reach.SOME and not self.bus

    def may_see(self, bu: str) -> bool:
        return self.sees_everything or bu in self.bus

    @property
    def digest(self) -> str:
        """Names the scope: equal scopes, equal digest."""
        parts = json.dumps([self.reach.value, sorted(self.bus)])
        return hashlib.sha256(parts.encode()).hexdigest()[:16]


EVERYTHING = Scope(Reach.EVERYTHING)
NOTHING = Scope(Reach.SOME)


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller as the gateway authenticated it: by IAM (`arn`), by a token (`claims`), or neither."""

    arn: str | None = None
    claims: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Gives a scope to an IAM user or role (`principal`), or to whoever's token has `value` in `claim`."""

    scope: Scope
    principal: str | None = None
    claim: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The rules in force. By default there are none, and IAM alone decides."""

    mode: Mode = Mode.ACCOUNT
    rules: tuple[Rule, ...] = field(default=())


def check_principal(text: str) -> str:
    """The principal of a rule: an IAM user, role or root ARN, `*` at its end. ValueError for anything else."""
    if not _RULE_ARN.fullmatch(text):
        raise ValueError(
            f"{text!r} is not like arn:aws:iam::111122223333:role/NAME (user/NAME, root; * at the end is any rest)"
        )
    return text


def scope_of(caller: Principal, access: AccessRules) -> Scope:
    """What the caller may see: all that its rules give together, and nothing when none fits.

    Without rules (mode `account`), a token gives nothing: it says who somebody is, not what they may see.
    """
    if access.mode is Mode.ACCOUNT:
        return NOTHING if caller.claims is not None else EVERYTHING
    given = [rule.scope for rule in access.rules if _fits(rule, caller)]
    if any(scope.sees_everything for scope in given):
        return EVERYTHING
    return Scope(Reach.SOME, frozenset(bu for scope in given for bu in scope.bus))


def _fits(rule: Rule, caller: Principal) -> bool:
    if rule.principal is not None:
        return caller.arn is not None and _is(rule.principal, caller.arn)
    if rule.claim is None or rule.value is None or caller.claims is None:
        return False
    return rule.value in _values(caller.claims.get(rule.claim))


def _is(rule: str, arn: str) -> bool:
    wanted, given = _identity(rule.removesuffix("*")), _identity(arn)
    if wanted is None or given is None or wanted[:3] != given[:3]:
        return False
    return given[3].startswith(wanted[3]) if rule.endswith("*") else given[3] == wanted[3]


def _identity(arn: str) -> tuple[str, str, str, str] | None:
    """(partition, account, kind, name) of an IAM identity. A session of a role counts as the role.

    Sessions do not tell their role's path, and whoever takes a role chooses the session's name: neither is compared.
    """
    match = _ARN.fullmatch(arn)
    if match is None:
        return None
    partition, account, kind, name = match["partition"], match["account"], match["kind"], match["name"] or ""
    if kind == "assumed-role":
        return partition, account, "role", name.partition("/")[0]
    return partition, account, kind, name.rpartition("/")[2]


def _values(claim: str | None) -> Iterable[str]:
    """The values of a claim. API Gateway writes a list as "[a b]", with blanks or commas between."""
    if claim is None:
        return []
    if claim.startswith("[") and claim.endswith("]"):
        return re.split(r"[\s,]+", claim[1:-1].strip())
    return [claim]
