"""The compile cache is code: it is read only from folders and files that nobody else can write to."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from tesuji.core.numba import cache, private_folders
from tesuji.core.numba.private_folders import foreign_writer, make_private

ME, OTHER, OWN_GROUP, STAFF = 1000, 1001, 1000, 50
HOME = Path("/home/me")
FOLDER = HOME / ".cache/tesuji"


@pytest.fixture
def someone(monkeypatch):
    """A person with a group of their own, as most Linux systems make it."""
    people = {ME: SimpleNamespace(pw_name="me", pw_gid=OWN_GROUP), OTHER: SimpleNamespace(pw_name="other", pw_gid=STAFF)}
    groups = {OWN_GROUP: SimpleNamespace(gr_name="me", gr_mem=[]), STAFF: SimpleNamespace(gr_name="staff", gr_mem=["other"])}
    monkeypatch.setattr(os, "geteuid", lambda: ME)
    monkeypatch.setattr(pwd, "getpwuid", people.__getitem__)
    monkeypatch.setattr(pwd, "getpwall", lambda: list(people.values()))
    monkeypatch.setattr(grp, "getgrgid", groups.__getitem__)
    monkeypatch.setattr(Path, "home", lambda: HOME)
    return groups


def looks(**changed):
    """A look at the folders: all are fine, but these, by their last name: (owner, group, mode)."""

    def look(place: Path):
        owner, group, mode = changed.get(place.name.strip(".") or "root", (ME, OWN_GROUP, 0o755))
        return SimpleNamespace(st_uid=owner, st_gid=group, st_mode=stat.S_IFDIR | mode)

    return look


@pytest.mark.parametrize(
    ("changed", "writer"),
    [
        ({}, ""),
        ({"tesuji": (ME, OWN_GROUP, 0o700)}, ""),
        ({"tesuji": (0, 0, 0o755)}, ""),
        ({"tesuji": (ME, OWN_GROUP, 0o775), "cache": (ME, OWN_GROUP, 0o775)}, ""),  # umask 002, a group of one's own
        ({"tesuji": (ME, 0, 0o775)}, ""),
        ({"tesuji": (ME, STAFF, 0o775)}, "tesuji can be written to by the group staff"),
        ({"cache": (ME, STAFF, 0o775)}, ".cache can be written to by the group staff"),
        ({"tesuji": (ME, OWN_GROUP, 0o777)}, "tesuji can be written to by everyone"),
        ({"tesuji": (ME, OWN_GROUP, 0o1777)}, "tesuji can be written to by everyone"),  # others could add files
        ({"cache": (ME, OWN_GROUP, 0o777)}, ".cache can be written to by everyone"),
        ({"cache": (0, 0, 0o1777)}, ""),
        ({"me": (ME, OWN_GROUP, 0o777)}, "me can be written to by everyone"),
        ({"tesuji": (OTHER, STAFF, 0o755)}, "tesuji belongs to another user (other)"),
        ({"cache": (OTHER, STAFF, 0o1777)}, ".cache belongs to another user (other)"),
        ({"home": (OTHER, STAFF, 0o777)}, ""),  # above the home folder nothing is asked
    ],
)
def test_who_else_can_write(someone, changed, writer):
    found = foreign_writer(FOLDER, looks(**changed))
    assert found.endswith(writer) and bool(found) == bool(writer), found


def test_a_group_with_others_in_it_is_not_ones_own(someone):
    someone[OWN_GROUP].gr_mem.append("other")
    assert "by the group me" in foreign_writer(FOLDER, looks(tesuji=(ME, OWN_GROUP, 0o775)))


def test_a_group_that_is_the_first_of_another_is_not_ones_own(someone):
    pwd.getpwuid(OTHER).pw_gid = OWN_GROUP  # the group does not list who has it as the first one
    assert "by the group me" in foreign_writer(FOLDER, looks(tesuji=(ME, OWN_GROUP, 0o775)))


def test_outside_of_the_home_folder_all_folders_count(someone):
    assert foreign_writer(Path("/srv/shared/cache"), looks(srv=(ME, OWN_GROUP, 0o777))) == "/srv can be written to by everyone"
    assert foreign_writer(Path("/tmp/mine"), looks(tmp=(0, 0, 0o1777))) == ""


def test_what_is_made_is_private(tmp_path):
    before = os.umask(0)
    try:
        make_private(tmp_path / "one" / "two")
        make_private(tmp_path / "one" / "two")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("one", "one/two")] == [0o700, 0o700]
    assert foreign_writer(tmp_path / "one" / "two" / "not yet") == ""


# -- the cache -----------------------------------------------------------------------------------------------------------------
@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_warned", False)
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache"


def test_a_folder_that_others_can_write_to_is_told_once_and_not_used(root, capsys):
    root.mkdir()
    root.chmod(0o777)
    assert cache.cache_folder("stamp") is None and cache.cache_folder("other stamp") is None
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "cache can be written to by everyone" in said and "chmod go-w" in said
    root.chmod(0o755)
    assert cache.cache_folder("stamp") is not None


def test_a_folder_of_one_kernel_counts_too(root, capsys):
    folder = cache.cache_folder("stamp")
    cache.write(folder / "kernel.code", b"content")
    assert stat.S_IMODE(os.stat(folder).st_mode) == stat.S_IMODE(os.stat(root).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(folder / "kernel.code").st_mode) == 0o600
    assert cache.read(folder / "kernel.code") == b"content"
    folder.chmod(0o777)
    assert cache.cache_folder("stamp") is None and "can be written to by everyone" in capsys.readouterr().err


def test_a_file_that_others_can_write_to_is_compiled_again(root, capsys):
    folder = cache.cache_folder("stamp")
    cache.write(folder / "kernel.code", b"content")
    (folder / "kernel.code").chmod(0o666)
    assert cache.read(folder / "kernel.code") is None
    cache.write(folder / "kernel.code", b"content")
    assert cache.read(folder / "kernel.code") == b"content"
    assert "others can write to it" in capsys.readouterr().err


def test_other_systems_are_not_asked(someone, monkeypatch):
    monkeypatch.setattr(private_folders.os, "name", "nt")
    assert foreign_writer(FOLDER, looks(tesuji=(OTHER, STAFF, 0o777))) == ""


def test_the_folder_that_is_checked_is_the_one_that_is_used(tmp_path, monkeypatch):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir(mode=0o700)
    link.symlink_to(real)
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(link))
    folder = cache.cache_folder("stamp")
    assert folder is not None and folder.parent == Path(os.path.realpath(real))


def test_a_folder_that_others_make_first_is_not_written_to(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)
    folder = cache.cache_folder("stamp")
    assert folder is not None and not folder.exists()
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    cache.write(folder / "kernel", b"code")
    assert not list(folder.iterdir()) and "can be written to by everyone" in capsys.readouterr().err
    assert cache.cache_folder("stamp") is None
