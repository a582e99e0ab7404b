"""The ways in which a value follows the name of a secret thing: assignments, fields, flags, elements, headers, sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lakesite.masking.values import Trust

if TYPE_CHECKING:
    from collections.abc import Callable

NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
"""What names are written in."""

_QUOTES = "\"'`"
_ASSIGNING = _QUOTES + "*]) \t:=|?!<-："

# No value runs into a marker: the wall that stands for one (U+E000) is in none.
_CLOSE = r"""(?:["'`*_]{1,3}[\])]{0,2}["'*_]{0,2}|)"""
_TYPED = r"(?:\?|!)?:[ \t]?[A-Za-z_][\w.\[\]|<>, ]{0,60}?[ \t]?=(?![=~>])"
_DELIM = rf"(?:{_TYPED}|=>|:=|<-|\|\|=|\?\?=|\?=|\+=|=(?![=~])|：|:(?![:=])|(?<=[ \t])->(?=[ \t]))"
_REMARK = r"(?:!!\w{1,20}|/\*[^*\n]{0,80}\*/)"
_ASSIGNED = rf"{_CLOSE}[ \t]{{0,24}}(?P<delim>{_DELIM})(?P<gap>[ \t]{{0,24}})(?:\*\*|__)?[ \t]?(?:{_REMARK}[ \t]{{0,4}})?"
_QUOTED = r"""(?:[A-Za-z@$]{1,2}(?=["']))?(?P<quote>["'`])(?P<value>(?:(?!(?P=quote))[^\\\n]|\\[^\n]){1,4096}+)(?P=quote)"""
_BARE = r"""(?P<value>(?:[^\s\x00-\x1f"'`<>,;&|()\[\]{}\\\ue000]|\\(?![nrtu"'\\/])){1,512}+)"""
_REST_OF_LINE = (
    r"""(?P<value>(?![^\s]{0,512}[;&][\w.-]{1,40}=)[^\s\x00-\x1f"'`<>{}\[\]|\\\ue000][^\s\x00-\x1f"'`\\\ue000]{0,512}+)"""
    r"""(?=[ \t]{0,40}+(?:[\r\n]|\\[nr]|[ \t]#|\Z))"""
)
_SCHEME = r"(?i:bearer|basic|token|apikey|api-key|key|bot|ssws|jwt|digest|negotiate|splunk|sso-key|oauth|ntlm|glpat)"
_WRAPPER = r"(?:(?i:secretstr|secret|string|str|new string|text)\()?"
_VALUE_FIELD = r"(?i:(?:new_?|old_?|string_?)?value|text|content|input|keys|secret|default)"
_FILLING = r"(?i:fill|type|send_?keys|set_?value|press_?sequentially|val|input|enter_?text|insert_?text|clear_?and_?type)"
_ATTRIBUTES = r"""(?:[ \t]{1,4}[\w:-]{1,40}=["'][^"'<>\n]{0,80}["']){0,6}"""
_INTO_ELEMENT = r"(?:[^<>\n]{0,80}+>\s{0,40}(?:<[\w:]{1,40}>)?|</[\w:]{1,40}>\s{0,40}<[\w:]{1,40}[^<>\n]{0,80}>)"
_OTHER_FIELDS = r"""(?:,\s{0,4}["']\w{1,30}["']:\s{0,4}(?:["'][^"'\n]{0,80}["']|[\w.]{1,20})){0,4}"""
_LINKING_WORD = (
    r"(?:is|was|to|as|are|=|:|ist|lautet|est|es|è|é|är|er|jest|je|это|—|–)"
    r"(?:[ \t](?:now|still|again|just|simply|always|currently))?"
)
_STATED = (
    r"""[*_`"')]{{0,3}}[ \t]{{1,4}}(?:[^\s;:!?]{{1,40}}[ \t]){many}"""
    + _LINKING_WORD.replace("{", "{{").replace("}", "}}")
    + r"""[ \t]{{1,4}}[*_`"'(]{{0,3}}(?P<value>[^\s"'`<>,;()]{{1,512}}+)"""
)
_LOGIN = re.compile(r"\b(?:login|machine)[ \t]{1,4}\S{1,64}\s{1,24}\Z")
_LINE_LEAD = re.compile(
    r"""(?:\A|\n|\\n)[ \t>+#-]{0,40}(?:\d{1,7}[\t:|\u2192][ \t]{0,40})?"""
    r"""(?:(?:export|set|ENV|ARG|local)[ \t]{1,4})?[\w.\["']{0,60}\Z"""
)
_LONGEST_LINE_LEAD = 120
_PROSE_FOLLOWS = r"(?=[ ][a-z]{2,20}[ ][a-z]{2,20}\b)"


ASSIGNED = re.compile(_ASSIGNED)
"""What most forms begin with: one look at it saves a look at each of them."""
REST_OF_VALUE = re.compile(r"""[^\s\x00-\x1f"'`<>,;&|()\[\]{}\\\ue000]{0,4096}+""")
"""What a very long value without quotes goes on with."""


PLAIN_LINE = re.compile(r"""[a-z \t"'`.,:;()\[\]{}<>|/\\_-]{0,240}+(?:\n|\Z)""")
"""The rest of a line that states no secret: in sentences one shows itself by a digit, a capital letter or a symbol."""


class Form(NamedTuple):
    """One way in which a value follows its name."""

    id: str
    """Its name in reports, behind `name-`."""
    first: str
    """The characters that can follow the name."""
    trust: Trust
    """How much it says that a value follows."""
    pattern: re.Pattern[str]
    """What stands between the end of the name and the end of the value."""
    quoted: bool
    """Whether the value is marked off, so that no expression can stand there."""
    decides: bool
    """Whether no other form is tried where this one fits."""
    fits: Callable[[str, int, int], bool] | None
    """What the name must be like: text, start and end of the name."""
    assigned: bool
    """Whether `ASSIGNED` must follow the name."""
    again: bool
    """Whether it is another way to read what the form before it reads: where that is not, neither is this."""


def _is_flag(text: str, start: int, _end: int) -> bool:
    """Tell `--password` and `/password` from `username/password`."""
    dashed = text[start] == "-"
    before = text[start - 1 : start] if dashed else text[start - 2 : start - 1] or " "
    return (dashed or text[start - 1 : start] == "/") and (not before or before in " \t\n\"'([")


def _follows_login(text: str, start: int, end: int) -> bool:
    """Tell `login bob password …` of a netrc file from a sentence."""
    return text[start:end].lower() in {"password", "passwd"} and bool(_LOGIN.search(text, max(0, start - _LONGEST_LINE_LEAD), start))


def _begins_line(text: str, start: int, _end: int) -> bool:
    """Tell a line of configuration from an assignment within one."""
    return bool(_LINE_LEAD.search(text, max(0, start - _LONGEST_LINE_LEAD), start))


def _is_no_end(text: str, start: int, _end: int) -> bool:
    """Tell `<password>` from `</password>`, behind which another element stands."""
    return text[start - 1 : start] != "/"


def _takes_user(text: str, start: int, end: int) -> bool:
    """Tell `auth=(user, password)` and `Credentials(user, password)` from other calls."""
    return text[start:end].lower().endswith(("auth", "credential", "credentials", "creds", "password"))


def _form(
    form_id: str,
    first: str,
    trust: Trust,
    pattern: str,
    *,
    quoted: bool = True,
    decides: bool = False,
    fits: Callable[[str, int, int], bool] | None = None,
    again: bool = False,
) -> Form:
    return Form(form_id, first, trust, re.compile(pattern), quoted, decides, fits, pattern.startswith(_ASSIGNED), again)


FORMS = (
    _form(  # Authorization: Bearer value
        "scheme",
        _ASSIGNING,
        Trust.SURE,
        rf"""{_ASSIGNED}(?:[a-z]{{0,2}}["'`])?{_SCHEME}[ \t]{{1,4}}(?P<value>[^\s"'`<>,\\\ue000]{{1,4096}}+)""",
    ),
    _form("quoted", _ASSIGNING, Trust.CODE, rf"{_ASSIGNED}{_WRAPPER}{_QUOTED}", decides=True),
    _form("line", _ASSIGNING, Trust.CODE, rf"{_ASSIGNED}{_REST_OF_LINE}", quoted=False, fits=_begins_line),
    _form("bare", _ASSIGNING, Trust.CODE, rf"{_ASSIGNED}{_BARE}", quoted=False, decides=True),
    _form(  # password: |
        "block",
        ":" + _QUOTES,
        Trust.CODE,
        rf"""{_CLOSE}:[ \t]{{0,4}}(?:{_REMARK}[ \t]{{1,4}})?[|>][-+0-9]{{0,2}}[ \t]{{0,8}}(?:#[^\n]{{0,80}})?\r?\n[ \t]{{1,40}}"""
        r"""(?P<value>[^\s\ue000]{1,4096}+)(?=[ \t]{0,8}(?:[\r\n]|\Z))""",
    ),
    _form(  # auth=("user", "value")
        "pair",
        " \t=(",
        Trust.CODE,
        rf"""[ \t]{{0,4}}=?[ \t]{{0,4}}[(\[][ \t]{{0,4}}(?:["'][^"'\\\n]{{0,80}}["'][ \t]{{0,4}},[ \t]{{0,4}}){{1,3}}{_QUOTED}""",
        fits=_takes_user,
    ),
    _form(  # auth user:value
        "pair",
        ": \t",
        Trust.PROSE,
        r"""(?::|[ \t](?:are|is|were))?[ \t]{1,4}["'`]?[\w.@-]{1,40}+["'`]?(?::|[ \t]/[ \t])["'`]?(?P<value>[^\s"'`<>]{4,128}+)""",
        quoted=False,
        fits=_takes_user,
    ),
    _form("list", _ASSIGNING, Trust.CODE, rf"{_ASSIGNED}(?:\[\s{{0,24}}{_QUOTED})"),
    _form("list", ":*" + _QUOTES, Trust.CODE, rf"{_CLOSE}:[ \t]{{0,4}}\n[ \t]{{0,40}}-[ \t]{{1,4}}{_BARE}", quoted=False),
    _form("call", "(", Trust.CODE, rf"\([ \t]{{0,4}}{_QUOTED}[ \t]{{0,4}}\)"),
    _form(  # "name": "password", "value": "value"
        "field",
        _QUOTES + "]",
        Trust.CODE,
        rf"""\]?["']?\]?["']?,?\s{{0,24}}-?[ \t]{{0,4}}["']?{_VALUE_FIELD}["']?[ \t]{{0,4}}[:=][ \t]{{0,4}}{_QUOTED}""",
    ),
    _form(  # "element": "Password field", "ref": "e1", "text": "value"
        "field",
        _QUOTES + " ",
        Trust.CODE,
        rf"""[^"'\n:=]{{0,40}}["']{_OTHER_FIELDS},\s{{0,4}}["']{_VALUE_FIELD}["']:\s{{0,4}}{_QUOTED}""",
    ),
    _form("attribute", _QUOTES, Trust.CODE, rf"""["']{_ATTRIBUTES}[ \t]{{1,4}}value={_QUOTED}"""),
    _form(  # ["--password", "value"]
        "flag",
        _QUOTES,
        Trust.SURE,
        rf"""["'],\s{{0,24}}(?!["']-){_QUOTED}""",
        fits=_is_flag,
    ),
    _form(  # put("password", "value")
        "argument",
        _QUOTES + "/",
        Trust.PROSE,
        rf"""(?:["'`]|/[a-z]{{0,3}})\]?\)?[ \t]{{0,4}},\s{{0,24}}{_QUOTED}(?![ \t]{{0,4}}[:=])""",
    ),
    _form(  # find("#password").fill("value")
        "filled",
        _QUOTES + "])",
        Trust.SURE,
        rf"""["'`\]\)]{{1,5}}(?:\.\w{{1,30}}\(\)){{0,3}}\.{_FILLING}\([ \t]{{0,4}}{_QUOTED}""",
    ),
    _form(
        "element",
        _QUOTES + "> <",
        Trust.CODE,
        rf"{_INTO_ELEMENT}(?:<!\[CDATA\[)?(?P<value>(?:[^]<>\n]|\](?!\]>)){{1,4096}}+)(?:\]\]>)?</",
        decides=True,
        fits=_is_no_end,
    ),
    _form("part", _QUOTES, Trust.CODE, r"""["'](?:\r?\n){2}(?P<value>[^\s\ue000]{1,256}+)(?=\r?(?:\n|\Z))"""),
    _form("flag", " \t", Trust.SURE, rf"[ \t]{{1,8}}(?!-){_QUOTED}", decides=True, fits=_is_flag),
    _form("flag", " \t", Trust.SURE, rf"[ \t]{{1,8}}(?!-){_BARE}(?!{_PROSE_FOLLOWS})", quoted=False, decides=True, fits=_is_flag),
    _form("netrc", " \t", Trust.SURE, rf"[ \t]{{1,8}}{_BARE}", quoted=False, decides=True, fits=_follows_login),
    _form(  # | password | value |
        "cell",
        "*_` \t|",
        Trust.PROSE,
        r"""[*_`]{0,3}[ \t]{0,40}\|[ \t]{0,40}[*_`]{0,3}(?P<value>[^\s|]{1,4096}?)[*_`]{0,3}[ \t]{0,40}\|""",
        quoted=False,
    ),
    _form("stated", "*_`\"') \t", Trust.PROSE, _STATED.format(many="{0,5}?"), quoted=False),  # the password is `value`
    _form("stated", "*_`\"') \t", Trust.PROSE, _STATED.format(many="{0,5}"), quoted=False, again=True),  # it was changed to `value`
    _form(  # the password for staging: value
        "stated",
        " \t",
        Trust.PROSE,
        r"""[ \t](?:[^\s;:!?.,]{1,40}+[ \t]){0,4}+[^\s;:!?.,]{1,40}+:[ \t]{1,4}[*_`"'(]{0,3}(?P<value>[^\s"'`<>,;()]{1,512}+)""",
        quoted=False,
    ),
    _form("next", " \t", Trust.PROSE, rf"[ \t]{{1,4}}[`\"']?{_BARE}", quoted=False),
)
"""The first that fits and holds a secret counts."""

FOREIGN_FORM = _form(  # 密码是 value, パスワードは value です, lösenordet är value
    "stated",
    "",
    Trust.PROSE,
    r"""(?:[是为為はがも이가은는을를][ \t]{0,4}|(?:et|en)[ \t]{1,4}(?:är|er)[ \t]{1,4})[「『«“"'`]?(?P<value>(?!["'`<>,;])[!-~]{6,128}+)""",
    quoted=False,
)
"""Behind a word of another script, which no blank ends."""

FORMS_BY_FIRST = {first: tuple(form for form in FORMS if first in form.first) for form in FORMS for first in form.first}
"""The forms to try, by the character that follows the name."""

UNASSIGNED_BY_FIRST = {first: tuple(form for form in forms if not form.assigned) for first, forms in FORMS_BY_FIRST.items()}
"""Those of them that are worth trying where `ASSIGNED` does not follow."""

UNSTATED_BY_FIRST = {first: tuple(form for form in UNASSIGNED_BY_FIRST[first] if form.trust > Trust.PROSE) for first in " \t"}
"""Those of them that are worth trying where a blank follows, and `PLAIN_LINE` behind it."""

FOLLOWS = frozenset(ord(first) for first in FORMS_BY_FIRST if first.isascii()) | frozenset(b"?") | frozenset(NAME_CHARACTERS.encode())
"""What can stand behind a word of a name: more of the name, or what leads to its value; `?` for all that is not ASCII."""
