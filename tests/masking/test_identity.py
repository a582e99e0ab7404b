"""What `--publish` hides: homes, machines, users."""

from __future__ import annotations

import pytest

from lakesite.masking import Masker, MaskOptions, alias

PUBLISH = MaskOptions(publish=True)
ADMIN = "root"  # no path of a machine stands in a committed file


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("cd /home/alice/x; ls /Users/alice/clients", "cd ~/x; ls ~/clients"),
        ("C:\\Users\\alice\\x", "~\\x"),
        ('{"cwd":"C:\\\\Users\\\\alice\\\\x"}', '{"cwd":"~\\\\x"}'),
        ("/mnt/c/Users/alice/x", "~/x"),
        ("~/.claude/projects/-Users-alice-clients-acme/a.jsonl", "~/.claude/projects/-~-clients-acme/a.jsonl"),
        ("file%3A%2F%2F%2Fhome%2Falice%2Fx", "file%3A%2F%2F~%2Fx"),
        (f"/{ADMIN}/x and /rootfs", "~/x and /rootfs"),
        ("https://example.com/home/alice", "https://example.com/home/alice"),
        ("/home/alice/a then /srv/alice/b and alice@db", "~/a then /srv/user/b and user@db"),
        ("alice says hello", "alice says hello"),
        ("/Volumes/Users/alice/x and /Volumes/Macintosh HD/Users/alice/x", "~/x and ~/x"),
        ("vscode-remote://ssh-remote+box/home/alice/x", "vscode-remote://ssh-remote+box~/x"),
        ('"\\u002fhome\\u002falice\\u002fx"', '"~\\u002fx"'),
        ("in part-Users-alice-x.ndjson", "in part-~-x.ndjson"),
        ("/home/alice. Alice: USER=alice, ~alice/x, part-7-alice_2", "~. user: USER=user, ~user/x, part-7-user_2"),
        ("uid=1000(alice) gid=1000(alice)\n-rw-r--r-- 1 alice staff 1 x", "uid=1000(user) gid=1000(user)\n-rw-r--r-- 1 user staff 1 x"),
        ("/home/grace/x, grace@db, -rwxr-xr-x  1 grace staff, by grace", "~/x, user@db, -rwxr-xr-x  1 user staff, by grace"),
        ("src/home/views/x.py", "src/home/views/x.py"),
    ],
)
def test_homes_and_users(given: str, expected: str) -> None:
    masker = Masker(PUBLISH)
    assert masker.mask(given) == expected
    assert masker.mask(expected) == expected
    assert Masker().mask(given) == given


def test_machines_get_an_alias_that_is_always_the_same() -> None:
    masker = Masker(PUBLISH, machines=["alice-laptop.corp"])
    hidden = alias("alice-laptop.corp")
    assert masker.mask("on alice-laptop.corp or ALICE-LAPTOP, not alice-laptops") == f"on {hidden} or {hidden}, not alice-laptops"
    assert masker.name("alice-laptop.corp") == hidden
    assert "alice" not in hidden


def test_the_second_pass_knows_the_users_of_the_first() -> None:
    first = Masker(PUBLISH, machines=["box-1"])
    first.mask("/home/alice/a")
    assert first.second_pass().mask("/srv/alice/b on box-1") == f"/srv/user/b on {alias('box-1')}"


def test_the_path_of_a_source_file_is_that_of_a_home() -> None:
    masker = Masker(PUBLISH)
    assert masker.name("backup/home/alice/r1.jsonl") == "backup/~/r1.jsonl"
    assert masker.mask("by alice") == "by user"


def test_a_user_with_the_name_of_a_class_of_secrets_leaves_markers_whole() -> None:
    marker = "[masked:token:40:0a1b2c3d]"
    assert Masker(PUBLISH).mask(f"/home/token/x {marker}") == f"~/x {marker}"
