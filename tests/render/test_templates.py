"""A user's own templates: what they may do, and how their mistakes are told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lakesite.errors import UsageError
from lakesite.render.pages import Pages
from lakesite.render.templates import NAMES
from lakesite.site.assets import folder, load_assets
from tests import EXAMPLES, ROOT
from tests.render import pages_rows as rows
from tests.render import pages_samples as samples
from tests.site.builds import lakesite

if TYPE_CHECKING:
    from pathlib import Path


def made(tmp_path: Path, **sources: str) -> Pages:
    for name, source in sources.items():
        (tmp_path / f"{name}.html").write_text(source, encoding="utf-8")
    load_assets.cache_clear()
    return Pages(load_assets(tmp_path))


def test_every_template_has_a_name_and_stands_in_the_readme() -> None:
    assert tuple(sorted(path.name for path in folder("templates").glob("*.html"))) == NAMES
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in readme] == []


def test_one_block_of_a_page_is_changed(tmp_path: Path) -> None:
    pages = made(tmp_path, index='{% extends "lakesite/index.html" %}\n{% block header %}<h1>Our {{ page.title }}</h1>{% endblock %}')
    html = pages.index(samples.INDEX)
    assert "<h1>Our harbor-shop archive</h1>" in html
    assert '<table class="index">' in html
    assert "<h1>Our" not in pages.problems(samples.PROBLEMS)


def test_the_shell_is_changed_for_all_pages(tmp_path: Path) -> None:
    shell = (folder("templates") / "shell.html").read_text(encoding="utf-8").replace("Made by lakesite", "Made by us, with lakesite,")
    pages = made(tmp_path, shell=shell)
    document = "".join(pages.document(samples.RUN, [pages.rows(rows.RUN_ROWS)]))
    assert all("Made by us" in html for html in (pages.index(samples.INDEX), pages.problems(samples.PROBLEMS), document))


def test_the_packaged_templates_may_stand_in_for_themselves(tmp_path: Path) -> None:
    before = samples.all_pages(Pages(load_assets()))
    sources = {name.removesuffix(".html"): (folder("templates") / name).read_text(encoding="utf-8") for name in NAMES}
    assert samples.all_pages(made(tmp_path, **sources)) == before


def test_what_is_printed_is_escaped(tmp_path: Path) -> None:
    source = '{% autoescape false %}<p title="{{ page.title|attr }}">{{ page.title }}{{ page.title|upper|lower }}</p>{% endautoescape %}'
    html = made(tmp_path, index=source).index(samples.poisoned(samples.INDEX))
    assert "<svg/onload" not in html
    assert "<script" not in html.lower()
    assert re.fullmatch(r'<p title="[^"]*">.*</p>', html, re.DOTALL)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("a\n{{ page.titel }}", "index.html:2: 'lakesite.view.listing.IndexPage object' has no attribute 'titel'"),
        ("a\n\n{{ page.title }", "index.html:3: unexpected '}'"),
        ("{% for row in page.rows %}", "index.html:1: Unexpected end of template"),
        ("\n{{ page.title|safe }}", "index.html:2: No filter named 'safe'"),
        ("\n{{ page.facts }}", "index.html:2: tuple is printed, which is no text"),
        ("\n{{ page.__class__ }}", "index.html:2: access to attribute '__class__'"),
        ("\n{{ 'javascript:x'|href }}", "index.html:2: ValueError"),
        ("\n{{ 1 // 0 }}", "index.html:2: ZeroDivisionError"),
        ('\n{% include "nothing.html" %}', "index.html:2: there is no template nothing.html"),
        ('\n<p title="{{ page.title }}">', 'index.html:2: inside an attribute write "{{ page.title|attr }}"'),
        ("\n<p title='{{ page.title|attr }}'>", "index.html:2: inside an attribute"),
        ("\n<p title={{ page.title|attr }}>", "index.html:2: inside an attribute"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, source: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        made(tmp_path, index=source).index(samples.INDEX)
    assert str(caught.value).startswith(f"{tmp_path}/{told}")
    assert "harbor-shop" not in str(caught.value)


INDEX = '{% extends "lakesite/index.html" %}\n'


@pytest.mark.parametrize(
    ("name", "source", "told"),
    [
        ("index", "", "1: nothing in it"),
        ("rows", "{# ours #}\n", "1: nothing in it"),
        ("index", INDEX + "{% block heder %}<h1>Ours</h1>{% endblock %}", "2: there is no block heder; did you mean header?"),
        ("index", INDEX + "\n{% block ours %}{% endblock %}", "3: there is no block ours; there are: body, crumbs, data, early, header, "),
        ("shell", '{% extends "lakesite/shell.html" %}{% block boddy %}{% endblock %}', "1: there is no block boddy; did you mean body?"),
        ("index", "<h1>\n{% block heder %}{% endblock %}", "2: there is no block heder; did you mean header?"),
        ("small", '{% extends "lakesite/small.html" %}{% block facts %}{% endblock %}', "1: there is no block facts; there are: none"),
        ("index", INDEX + "{% block header %}{% endblock %}\n\n  <h1>Ours</h1>", "4: what stands outside of the blocks is not shown"),
        ("index", INDEX + "{{ page.title }}", "2: what stands outside of the blocks is not shown"),
    ],
)
def test_what_would_have_no_effect_is_told(tmp_path: Path, name: str, source: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        made(tmp_path, **{name: source})
    assert str(caught.value).startswith(f"{tmp_path}/{name}.html:{told}")


def test_blocks_that_are_shown_may_have_any_name(tmp_path: Path) -> None:
    assert made(tmp_path, index="<p>{% block ours %}{{ page.title }}{% endblock %}").index(samples.INDEX) == "<p>harbor-shop archive"
    source = INDEX + "{# ours #}{% set more = 1 %}\n{% block header %}{% block ours %}<h1>Ours{% endblock %}{% endblock %}\n"
    assert "<h1>Ours" in made(tmp_path, index=source).index(samples.INDEX)
    shell = (folder("templates") / "shell.html").read_text(encoding="utf-8").replace("<footer", "{% block foot %}{% endblock %}<footer")
    html = made(tmp_path, shell=shell, index=INDEX + "{% block foot %}<h1>Ours{% endblock %}").index(samples.INDEX)
    assert "<h1>Ours" in html


def test_a_missing_macro_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="small"):
        made(tmp_path, small="{% macro facts(all) %}{% endmacro %}").index(samples.INDEX)


def test_a_name_that_is_no_template_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"indx.html:1: no such template; did you mean index.html\?"):
        made(tmp_path, indx="x")


def test_a_folder_without_templates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no template in it"):
        made(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        made(tmp_path / "nothing")
    (tmp_path / "index.html").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        made(tmp_path)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", ["rows", "index"])
def test_the_command_tells_it_and_leaves_the_old_site(tmp_path: Path, jobs: str, name: str) -> None:
    run = min((EXAMPLES / "events").rglob("*.ndjson"))
    site = tmp_path / "site"
    assert lakesite("build", run, "-o", site, "-q").returncode == 0
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    (tmp_path / f"{name}.html").write_text("a\n{{ nothing.here }}", encoding="utf-8")
    done = lakesite("build", run, "-o", site, "-q", "--jobs", jobs, env={"LAKESITE_TEMPLATES": str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"lakesite: {tmp_path}/{name}.html:2: 'nothing' is undefined\n"
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before


def test_the_settings_tell_where_the_templates_are(tmp_path: Path) -> None:
    (tmp_path / "lakesite.toml").write_text(f'templates = "{tmp_path}"\n', encoding="utf-8")
    done = lakesite("config", "--config", tmp_path / "lakesite.toml")
    assert f'templates = "{tmp_path}"  # {tmp_path}/lakesite.toml' in done.stdout.decode()
