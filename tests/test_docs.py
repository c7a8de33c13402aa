"""The pages hang together: links lead to a page and a heading that exist, and every page can be reached from the README."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def links(page: Path) -> list[tuple[Path, str]]:
    """(page or file, heading) of every link to something in the repository; the heading may be ''."""
    found = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    parts = [link.partition("#") for link in found if "://" not in link]
    return [((page.parent / target).resolve() if target else page, anchor) for target, _, anchor in parts]


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them: lower case, spaces as hyphens, no punctuation."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in links(page):
        assert target.exists(), f"{target} does not exist"
        if anchor:
            assert anchor in anchors(target), f"{target.name} has no heading #{anchor}"


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += [target for target, _ in links(page) if target.suffix == ".md"]
    assert len(PAGES) > 20
    assert set(PAGES) - reached == set()


def test_contributing_names_folders_and_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+/)` \| .* \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) == len([path for path in (ROOT / "src" / "tesuji").glob("*/__init__.py")])
    for folder, files in rows:
        for part in files.split(";"):
            path = ROOT / "src" / "tesuji" / folder
            for name in re.findall(r"`([^`]+)`", part):
                assert (path / name).exists(), f"{folder}: {name} does not exist"
                path = path / name if name.endswith("/") else path


def test_the_site_has_every_page():
    """`make docs` refuses a site without one of the pages, too; this needs neither MkDocs nor its time."""
    listed = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    pages = {str(page.relative_to(ROOT / "docs")) for page in PAGES if page.is_relative_to(ROOT / "docs")}
    elsewhere = {"index.md", "contributing.md", "changelog.md", "reference.md"}
    assert len(listed) == len(set(listed))
    assert {name for name in listed if not name.startswith("examples/")} - elsewhere == pages
