"""Rule files of the user: what they add, and what is refused, at file and line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lakesite.errors import UsageError
from lakesite.masking import Masker, MaskOptions, load_rules
from lakesite.masking.packaged import packaged_rules
from lakesite.masking.trial import spares_keys
from tests import ROOT
from tests.masking.made import Maker

if TYPE_CHECKING:
    from pathlib import Path

    from lakesite.masking.rules import BenignRule

TOKEN = """
[[token]]
id = "acme"
what = "Acme key"
prefix = ["acme."]
body = "lower36"
min = 12
"""
CARRIER = r"""
[[carrier]]
id = "acme-door"
what = "Code of the door"
literal = ["door code"]
pattern = '''(?i)door code (?P<secret>[0-9]{4,8})'''
judge = "any"
"""
BENIGN = "[[benign]]\nid = 'x'\nwhat = 'x'\nreason = 'x'\n"


def written(folder: Path, content: str, name: str = "rules.toml") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_rules_are_added(tmp_path: Path) -> None:
    key = "acme." + Maker("user").of("a-z0-9", 20)
    rules = load_rules([written(tmp_path, TOKEN + CARRIER)])
    masked = Masker(MaskOptions(rules=rules)).mask(f"use {key}, Door code 80801 at night")
    assert key not in masked
    assert masked.endswith("Door code [masked:credential:5:00000000] at night")
    assert rules.weaker == ()


@pytest.mark.parametrize("secret", ["(?P<secret>[0-9]{0,8})", "(?:(?P<secret>[0-9]{4,8})|is)", "(?P<secret>[0-9 ]{0,8})"])
def test_where_a_carrier_holds_nothing_nothing_is_masked(tmp_path: Path, secret: str) -> None:
    rules = load_rules([written(tmp_path, CARRIER.replace("(?P<secret>[0-9]{4,8})", secret))])
    masked = Masker(MaskOptions(rules=rules)).mask("door code is, door code   , door code 12345")
    assert masked == "door code is, door code   , door code [masked:credential:5:00000000]"


def test_later_files_and_rules_of_the_same_id_win(tmp_path: Path) -> None:
    first = written(tmp_path, TOKEN)
    later = written(tmp_path, TOKEN.replace("acme.", "acmd."), "later.toml")
    rules = load_rules([first, later])
    assert [rule.prefix for rule in rules.added.token] == [("acmd.",)]


def test_a_value_may_be_allowed_with_a_reason(tmp_path: Path) -> None:
    value = Maker("allowed").password()
    rules = load_rules([written(tmp_path, f'[[allow]]\nid = "demo"\nvalue = "{value}"\nreason = "stands in the handbook"\n')])
    assert value in Masker(MaskOptions(rules=rules)).mask(f'password = "{value}"')
    assert rules.weaker == ("allow:demo",)


def test_an_allowed_value_is_allowed_in_an_assignment(tmp_path: Path) -> None:
    """The Lake's own rule takes name and value for one."""
    value = Maker("allowed").of("A-Za-z0-9", 24)
    rules = load_rules([written(tmp_path, f'[[allow]]\nid = "demo"\nvalue = "{value}"\nreason = "stands in the handbook"\n')])
    text = f"DB_PASSWORD={value} psql"
    assert value not in Masker().mask(text)
    assert Masker(MaskOptions(rules=rules)).mask(text) == text


def test_a_harmless_shape_may_be_added(tmp_path: Path) -> None:
    shape = "acme-" + Maker("shape").of("A-Za-z0-9", 40)
    rules = load_rules([written(tmp_path, '[[benign]]\nid = "x"\nwhat = "x"\nreason = "an id"\nwhole = "acme-[A-Za-z0-9]{40}"\n')])
    assert Masker().mask(shape) != shape
    assert Masker(MaskOptions(rules=rules)).mask(shape) == shape
    assert rules.weaker == ("benign:x",)


def test_switching_off_a_packaged_rule_takes_two_words(tmp_path: Path) -> None:
    path = written(tmp_path, '# ours\ndisable = ["npm"]\n')
    with pytest.raises(UsageError, match=r"rules.toml:2: switching off packaged rules \(npm\) needs --allow-weaker"):
        load_rules([path])
    rules = load_rules([path], allow_weaker=True)
    assert rules.weaker == ("npm",)
    assert "npm" not in rules.applied().ids


@pytest.mark.parametrize(
    "content",
    [
        TOKEN.replace('"acme"', '"github-pat"'),
        CARRIER.replace('"acme-door"', '"github-pat"'),
        BENIGN.replace("'x'", f"'{packaged_rules().benign[0].id}'", 1) + "whole = 'acme-x'\n",
        "[[allow]]\nid = 'npm'\nreason = 'x'\nvalue = 'a-demo-password-1'\n",
    ],
)
def test_taking_the_place_of_a_packaged_rule_takes_two_words(tmp_path: Path, content: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(UsageError, match=r"rules.toml:\d: \w+ [\w-]+: taking the place of the packaged rule .* needs --allow-weaker"):
        load_rules([path])
    rules = load_rules([path], allow_weaker=True)
    assert rules.weaker == tuple(rules.added.ids)


def test_examples_and_counter_examples_are_tried(tmp_path: Path) -> None:
    lead = TOKEN.replace('prefix = ["acme."]', "lead = 'acme[0-9]{1,3}[.]'")
    for content in (
        TOKEN + 'example = "x=acme.{token}"\ncounter = ["acme.short", "acme"]\n',
        lead.replace("[.]", "\\.") + 'example = "acme12.{token}"\n',
        CARRIER + 'example = "Door code 1234"\ncounter = ["the door code is known"]\n',
        CARRIER.replace("[0-9]{4,8}", "[^ ]{4,20}").replace('"any"', '"password"') + 'example = "door code {password}"\n',
    ):
        assert load_rules([written(tmp_path, content)]).added.all


def test_the_rules_in_the_readme_can_be_used(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (content,) = (block for block in re.findall(r"^```toml\n(.*?)^```", readme, re.MULTILINE | re.DOTALL) if "[[token]]" in block)
    rules = load_rules([written(tmp_path, content)])
    key = rules.added.token[0].prefix[0] + Maker("readme").of("A-Za-z0-9", 24)
    assert key[-8:] not in Masker(MaskOptions(rules=rules)).mask(f"use {key} here")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", ": no rule in it; write one, or leave the file out"),
        ("# ours\n", ": no rule in it; write one, or leave the file out"),
        ("[[tokens]]\n", ":1: unknown table 'tokens'"),
        ("x = \n", ":1: "),
        (TOKEN.replace("body", "boddy"), ":3: token acme: unknown key 'boddy'"),
        (TOKEN.replace('what = "Acme key"\n', ""), ":3: token acme: the key 'what' is missing"),
        (TOKEN.replace("12", '"12"'), "'min' must be a whole number"),
        (TOKEN.replace('"acme"', '"Acme!"'), ":3: token Acme!: the id 'Acme!' must be"),
        (TOKEN.replace('"acme"', f'"{61 * "a"}"'), "must be of lower-case letters, digits and dashes, at most 60, no dash first"),
        (TOKEN.replace('"acme"', '"-acme"'), "must be of lower-case letters, digits and dashes, at most 60, no dash first"),
        (TOKEN.replace("lower36", "klingon"), "unknown alphabet 'klingon'"),
        (TOKEN.replace('"acme."', '"a"'), "the literal 'a' must have 2 to 60 characters"),
        (TOKEN.replace('["acme."]', "[]"), "'prefix' must be a list of texts"),
        (TOKEN.replace('prefix = ["acme."]\n', ""), "one of 'prefix', 'inside' and 'lead' is needed"),
        (CARRIER.replace("{4,8}", "+"), ":3: carrier acme-door: 'pattern' repeats without bound (+)"),
        (CARRIER.replace("{4,8}", "{4,}"), "repeats without bound ({4,})"),
        (CARRIER.replace("(?i)door code (?P<secret>[0-9]{4,8})", "(?P<secret>[0-9]{0,8})"), "'pattern' matches an empty text"),
        (CARRIER.replace("(?i)door code (?P<secret>[0-9]{4,8})", r"\[(?P<secret>masked)"), "'pattern' matches a marker"),
        (CARRIER.replace("(?P<secret>", "("), "'pattern' needs the group"),
        (CARRIER + "each = '[0-9]{4}'\n", "'pattern' needs the group"),
        (CARRIER.replace("(?P<secret>", "(?P<block>") + "each = '[0-9]{4}'\n", "'pattern' needs the group"),
        (CARRIER + "before = '(?P<block>a)'\neach = '(?P<secret>[0-9]{4})'\n", "'pattern' needs the group"),
        (CARRIER.replace('["door code"]', '["Door"]'), "'literal' must be in lower case"),
        (CARRIER.replace('"any"', '"maybe"'), "'judge' must be one of"),
        ("[token]\nid = 'x'\n", ":1: write [[token]] above the keys of each rule"),
        ("# ours\ntoken = 5\n", ":2: write [[token]] above"),
        ("# ours\ncarrier = ['x']\n", ":2: write [[carrier]] above"),
        ("[command.x]\n", ":1: write [[command]] above"),
        ("benign = 'x'\n", ":1: write [[benign]] above"),
        ("[allow]\n", ":1: write [[allow]] above"),
        ("[[disable]]\n", ":1: 'disable' must be a list of rule ids"),
        ("[disable]\n", ":1: 'disable' must be a list of rule ids"),
        (TOKEN + "[[token]]\n", ":8: token 2: the key 'id' is missing"),
        (TOKEN + TOKEN, ":3: token acme: its id stands twice"),
        (TOKEN.replace('"acme"', "5"), ":2: token 5: 'id' must be a text"),
        (TOKEN.replace("12", "12.5"), ":3: token acme: 'min' must be a whole number"),
        (TOKEN.replace("12", "true"), "'min' must be a whole number"),
        (TOKEN.replace("12", "99999999999"), "neither can be more than 4096"),
        (TOKEN + "weak = 1\n", "'weak' must be true or false"),
        (TOKEN + "length = 24\n", ":3: token acme: 'length' masks nothing: say with 'min' and 'max'"),
        (TOKEN.replace('["acme."]', '"acme."'), "'prefix' must be a list of texts"),
        (TOKEN.replace('"acme."', '"acme@"'), ":3: token acme: it finds nothing that begins with 'acme@'"),
        (TOKEN.replace('["acme."]', '["acme."]\nexample = "acme.short"'), ":3: token acme: it finds nothing in its 'example'"),
        (TOKEN + 'counter = ["acme.a", "see acme.g7kx2mqvz9tb4wcr"]\n', "it finds something in the text 2 of its 'counter'"),
        (CARRIER + 'example = "door {password}"\n', ":3: carrier acme-door: it finds nothing in its 'example'"),
        (CARRIER + 'counter = ["the door code 80801"]\n', ":3: carrier acme-door: it finds something in the text 1 of its 'counter'"),
        (CARRIER.replace('["door code"]', '["\u00e9tage"]'), "without accents and other scripts"),
        (CARRIER.replace('"any"', "64"), "'judge' must be one of password, stated, token, base64, any"),
        (CARRIER.replace("[0-9]{4,8}", "("), ":3: carrier acme-door: 'pattern' is no regular expression"),
        (CARRIER.replace("[0-9]{4,8}", "a{99999999999}"), "'pattern' is no regular expression"),
        ("[[command]]\nid='x'\ntools=['acme']\nflags=['p']\nform='spaced'\n", ":2: command x: the flag 'p' must be of a dash"),
        ("[[command]]\nid='x'\ntools=['a b c d e']\nflags=['-p']\nform='spaced'\n", "the tool 'a b c d e' can have 4 words at most"),
        (BENIGN, ":2: benign x: one of 'whole', 'start' and 'before' is needed"),
        (BENIGN + "before = 'x{0,3}'\n", ":2: benign x: 'before' matches an empty text"),
        (BENIGN + "before = 'trace-id'\n", ":2: benign x: 'before' must end in \\Z"),
        (BENIGN + "before = 'span-id|trace-id\\Z'\n", ":2: benign x: 'before' must end in \\Z"),
        (BENIGN + "whole = '(a|b)c'\n", ":2: benign x: 'whole' must not capture"),
        (BENIGN + "whole = '(?i)acme'\n", ":2: benign x: 'whole' must not begin with flags"),
        ('disable = ["no-such-rule"]\n', ":1: there is no packaged rule 'no-such-rule'"),
        ('disable = "npm"\n', ":1: 'disable' must be a list of rule ids"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, content: str, says: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(UsageError) as refused:
        load_rules([path])
    assert str(refused.value).startswith(f"{path}:")
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "shape",
    [
        *(r"before = '(?s).{1}\Z'", r"before = '\S\Z'", r"before = '(?:[=:] ?|x)\Z'", r"before = '[=,]\S{0,1}\Z'", r"before = 'value \Z'"),
        *("start = '[A-Z]'", "start = '[0-9a-z]{3}'", "whole = '[A-Za-z0-9+/=_-]{8,200}'", "whole = '[a-z]{2,7}-[0-9a-f]{20,64}'"),
        *("whole = '[a-z]{2,9}_[A-Za-z0-9]{20,64}'", "start = '(?=.{40})'", "start = '..x|[a-m]'"),
    ],
)
def test_shapes_that_hold_random_keys_take_two_words(tmp_path: Path, shape: str) -> None:
    path = written(tmp_path, BENIGN + shape + "\n")
    with pytest.raises(UsageError, match=r":2: benign x: it holds random keys too: .* needs --allow-weaker"):
        load_rules([path])
    assert load_rules([path], allow_weaker=True).weaker == ("benign:x",)


@pytest.mark.parametrize("rule", packaged_rules().benign, ids=lambda rule: rule.id)
def test_no_packaged_shape_holds_random_keys(rule: BenignRule) -> None:
    assert not spares_keys(rule)


ENDLESS = (
    *("(?:a{1,30}){1,30}b", "(?:[a-z]{1,9}-?){1,40}=", "(?:a|ab?|b){1,40}!", "(?:a?){40}b", "(?:|a){40}b"),
    *(r"(?:[а-я]{1,2}|\w){1,30}!", "(?:[а-п]|(?i:[К-Я]{1,2})){1,30}!", "(?:🔒{1,3}){1,30}!", "(?i:(?:k|\u212a{1,2}){1,30}!)"),
    *(r"(?:[\u3001-\u3100]|\w{1,2}){1,30}!", r"(?:\b|a{1,2}){1,30}!", "(?:a{1,2}?){1,30}!", "a{0,240}(?=a{0,240}(?=a{0,240}c)b)b"),
    *(f"(?:{look}(?:[a-z]|[a-z][a-z]?)){{1,18}}!" for look in ("(?!.{121}q)", "(?=[a-z]{121})", "(?<![a-z]{121})", "(?!(?=.{121}q))")),
    *("(?=(?:a{1,30}){1,30}b)a", "(?:(?:ab?){1,9}){1,9}!", "(?:a{0,9}){20000}b", "(?:(?:a|(?:x)){1,30}a{0,3}){1,30}!"),
)
SLOW = (
    *("[a-z]{0,900}[a-f]{0,900}=", r"\S{0,200}=\S{0,200}=\S{0,200}!", "(?i:[A-F]{0,900})[a-z]{0,900}!"),
    *("(?:(?!.{10001}q)(?:[a-z]|[a-z][a-z]?)){1,18}!", "a{0,9999}(?=[ab]{0,9999}c)b"),
)
QUICK = (
    *("(?:a{1,30}+){1,30}b", "(?>(?:a{1,30}){1,2})b", r"(?:[\w.-]{1,32}/){0,8}", r"(?:\w{1,20}[ \t]{1,4}){0,9}:"),
    *(r'"(?:[^"\\]|\\.){0,4000}"', r"\w{1,64}[ \t]{0,8}[:=][ \t]{0,8}", r"(?:(?!--)[a-z-]){4,20000}+--", "[a-z]{40}[a-z]{40}="),
    *(r"(?:[а-я]{1,20}\s{1,4}){0,9}:", "(?:пароль|ключ|ж){1,30}!", r"[a-z]{1,64}(?![a-z-])[=:]", r"[^\x01-\x7f]{1,64}[a-z]{1,64}!"),
)


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        *((key, pattern) for key in ("pattern", "before", "each", "lead", "whole") for pattern in ENDLESS),
        *((key, pattern) for key in ("pattern", "each", "whole") for pattern in SLOW),
    ],
)
def test_patterns_that_some_text_would_keep_busy_are_refused(tmp_path: Path, key: str, pattern: str) -> None:
    with pytest.raises(UsageError, match=f"'{key}' would be tried in too many ways"):
        load_rules([written(tmp_path, rule_with(key, pattern))])


@pytest.mark.parametrize("pattern", QUICK)
@pytest.mark.parametrize("key", ["pattern", "before", "each"])
def test_patterns_of_which_no_text_asks_much_are_not(tmp_path: Path, key: str, pattern: str) -> None:
    assert load_rules([written(tmp_path, rule_with(key, pattern))]).added.carrier


def rule_with(key: str, pattern: str) -> str:
    """A rule file with a rule that has a pattern at some key."""
    match key:
        case "pattern":
            return CARRIER.replace("[0-9]{4,8}", pattern)
        case "before":
            return CARRIER + f"before = '''{pattern}'''\n"
        case "each":
            return CARRIER.replace("(?P<secret>", "(?P<block>") + f"each = '''(?P<secret>x){pattern}'''\n"
        case "lead":
            return TOKEN.replace('prefix = ["acme."]', f"lead = '''{pattern}[.]\\.'''")
    return BENIGN + f"whole = '''{pattern}'''\n"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_rules([tmp_path / "nowhere.toml"])
