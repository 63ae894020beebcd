"""Who may see what: by rules, deny by default, and nobody becomes somebody else by a name."""

import pytest

from gpucost.domain.answers.access import (
    EVERYTHING,
    NOTHING,
    AccessRules,
    Mode,
    Principal,
    Reach,
    Rule,
    Scope,
    check_principal,
    scope_of,
)

ACCOUNT = "111122223333"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/team-a"
SESSION = f"arn:aws:sts::{ACCOUNT}:assumed-role/team-a/somebody"
BU_A = Scope(Reach.SOME, frozenset({"bu-a"}))
BU_B = Scope(Reach.SOME, frozenset({"bu-b"}))


def given(arn: str, *rules: Rule) -> Scope:
    return scope_of(Principal(arn=arn), AccessRules(Mode.RULES, rules))


def test_without_rules_iam_alone_decides_and_a_token_gives_nothing() -> None:
    assert scope_of(Principal(arn=SESSION), AccessRules()) == EVERYTHING
    assert scope_of(Principal(claims={"cognito:groups": "finops"}), AccessRules()) == NOTHING


def test_with_rules_whoever_has_none_sees_nothing() -> None:
    for caller in (Principal(arn=SESSION), Principal(claims={"sub": "x"}), Principal()):
        assert scope_of(caller, AccessRules(Mode.RULES)) == NOTHING
    assert NOTHING.sees_nothing
    assert not NOTHING.sees_everything
    assert not NOTHING.may_see("bu-a")


@pytest.mark.parametrize(
    ("rule", "arn", "fits"),
    [
        (ROLE, SESSION, True),
        (ROLE, ROLE, True),
        (f"arn:aws:iam::{ACCOUNT}:role/paths/team-a", SESSION, True),
        (f"arn:aws:iam::{ACCOUNT}:role/team-*", SESSION, True),
        (f"arn:aws:iam::{ACCOUNT}:role/*", SESSION, True),
        (f"arn:aws:iam::{ACCOUNT}:user/team-a", f"arn:aws:iam::{ACCOUNT}:user/dept/team-a", True),
        (f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:iam::{ACCOUNT}:root", True),
        (ROLE, "arn:aws:sts::999999999999:assumed-role/team-a/somebody", False),
        (ROLE, f"arn:aws:sts::{ACCOUNT}:assumed-role/team-b/team-a", False),
        (ROLE, f"arn:aws:sts::{ACCOUNT}:assumed-role/team-ab/x", False),
        (ROLE, f"arn:aws:sts::{ACCOUNT}:assumed-role/Team-A/x", False),
        (ROLE, f"arn:aws-cn:sts::{ACCOUNT}:assumed-role/team-a/x", False),
        (ROLE, f"arn:aws:iam::{ACCOUNT}:user/team-a", False),
        (ROLE, f"arn:aws:sts::{ACCOUNT}:federated-user/team-a", False),
        (ROLE, "team-a", False),
        (ROLE, "", False),
    ],
)
def test_a_rule_fits_its_principal_and_no_other(rule: str, arn: str, fits: bool) -> None:
    assert given(arn, Rule(BU_A, principal=rule)) == (BU_A if fits else NOTHING)


@pytest.mark.parametrize(
    ("claim", "fits"),
    [
        ("bu-a", True),
        ("[bu-a]", True),
        ("[bu-b bu-a]", True),
        ("[bu-b, bu-a]", True),
        ("bu-ab", False),
        ("[bu-ab]", False),
        ("bu-b bu-a", False),
        ("", False),
        ("[]", False),
        ("[bu-b", False),
    ],
)
def test_a_claim_is_compared_whole(claim: str, fits: bool) -> None:
    access = AccessRules(Mode.RULES, (Rule(BU_A, claim="groups", value="bu-a"),))
    assert scope_of(Principal(claims={"groups": claim}), access) == (BU_A if fits else NOTHING)
    assert scope_of(Principal(claims={"other": claim}), access) == NOTHING
    assert scope_of(Principal(arn="bu-a"), access) == NOTHING


def test_rules_add_up_and_everything_is_more_than_any_sum() -> None:
    some = [Rule(BU_A, principal=ROLE), Rule(BU_B, principal=f"{ROLE[:-1]}*")]
    assert given(SESSION, *some).bus == {"bu-a", "bu-b"}
    assert given(SESSION, *some, Rule(EVERYTHING, principal=ROLE)) == EVERYTHING


def test_scopes_are_told_apart() -> None:
    scopes = [
        EVERYTHING,
        NOTHING,
        BU_A,
        BU_B,
        Scope(Reach.SOME, frozenset({"bu-a", "bu-b"})),
        Scope(Reach.SOME, frozenset({"everything"})),
    ]
    assert len({scope.digest for scope in scopes}) == len(scopes)


@pytest.mark.parametrize(
    "text",
    [
        "*",
        "team-a",
        "arn:aws:iam::*:role/x",
        f"arn:aws:iam::{ACCOUNT}:role/*/x",
        f"arn:aws:iam::{ACCOUNT}:group/x",
        SESSION,
        f"arn:aws:iam::{ACCOUNT}:*",
        f"arn:aws:iam::{ACCOUNT}:rooted",
        "",
    ],
)
def test_a_principal_that_could_fit_too_much_or_never_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not like"):
        check_principal(text)


@pytest.mark.parametrize(
    "text", [ROLE, f"{ROLE}*", f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws-us-gov:iam::{ACCOUNT}:user/a/b"]
)
def test_principals_of_iam_are_taken(text: str) -> None:
    assert check_principal(text) == text


@pytest.mark.parametrize(
    "rule", [Rule(BU_A), Rule(BU_A, claim="groups"), Rule(BU_A, value="team-a"), Rule(BU_A, claim="sub", value="x")]
)
def test_a_rule_that_names_no_claim_with_its_value_fits_nobody(rule: Rule) -> None:
    caller = Principal(claims={"groups": "team-a"})
    assert scope_of(caller, AccessRules(Mode.RULES, (rule,))) == NOTHING


def test_a_session_that_is_named_like_a_path_is_still_its_roles() -> None:
    assert given(f"arn:aws:sts::{ACCOUNT}:assumed-role/team-a/team-b/x", Rule(BU_A, ROLE)) == BU_A


@pytest.mark.parametrize("claim", ["[finops", "finops]"])
def test_half_a_list_is_no_list(claim: str) -> None:
    rule = Rule(BU_A, claim="groups", value=claim.strip("[]"))
    assert scope_of(Principal(claims={"groups": claim}), AccessRules(Mode.RULES, (rule,))) == NOTHING
