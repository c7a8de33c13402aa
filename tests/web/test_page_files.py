"""The page's files as written: no script or style within HTML, no markup out of texts, every English text in one module."""

import re

import pytest
from recorded_server import STATIC

MODULES = sorted(STATIC.glob("*.js"))
STRINGS = (STATIC / "strings.js").read_text()
HTML = (STATIC / "index.html").read_text()


def test_the_page_has_no_inline_script_or_style():
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", HTML)
    assert not re.search(r"https?://", HTML + (STATIC / "style.css").read_text())


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_modules_never_make_markup_or_code_of_texts(module):
    text = module.read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"style", text
    )
    hosts = set(re.findall(r"https?://([^/\"'`]+)", text))
    assert hosts <= {"www.w3.org"}, "only the name of SVG's namespace may look like an address"


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_modules_import_what_exists(module):
    for names, file in re.findall(r"import \{([^}]*)\} from \"\./([\w.]+)\"", module.read_text()):
        exported = (STATIC / file).read_text()
        for name in names.split(","):
            assert re.search(rf"export (async )?(const|function|class) {name.strip()}\b", exported), f"{file} exports no {name}"


def test_every_text_that_is_used_is_there_and_no_other():
    used = set(re.findall(r"\bT\.(\w+)", "".join(path.read_text() for path in MODULES)))
    used |= {name.split(".")[0] for name in re.findall(r"data-(?:t|label|hint)=\"([\w.]+)\"", HTML)}
    known = set(re.findall(r"^  (\w+):", STRINGS, re.MULTILINE))
    assert used == known and len(used) > 80


def test_html_holds_no_text_of_its_own():
    body = re.sub(r"<noscript>.*?</noscript>|<svg.*?</svg>", "", HTML[HTML.index("<body>") :], flags=re.DOTALL)
    texts = [text.strip() for text in re.findall(r">([^<]+)<", body) if text.strip()]
    assert all(len(text) == 1 for text in texts), texts  # arrows


def test_no_rules_in_the_page():
    """The page knows how places look, not what games there are."""
    for module in MODULES:
        assert not re.search(r"[\"'](go|loa|connect4|samegame|seki|semeai|tictactoe|dotsandboxes)[\"':]", module.read_text())


NEWER = {  # than Firefox 125 and Safari 17 (docs/web.md), or known to one engine alone
    "js": r"Promise\.try|withResolvers|Array\.fromAsync"
    r"|(values|keys|entries)\(\)\.(map|filter|some|find|take|toArray|forEach)\b"
    r"|\.(union|intersection|isSubsetOf)\(|groupBy|moveBefore|requestIdleCallback|showOpenFilePicker|scrollIntoViewIfNeeded"
    r"|navigation\.|startViewTransition|for await \([^)]* of [\w.]*(body|stream)\b",
    "css": r"@(scope|starting-style|property|container|position-try)|anchor-name|position-anchor|field-sizing"
    r"|text-wrap|interpolate-size"
    r"|light-dark\(|-(webkit|moz)-(?!text-size-adjust|user-select)|::(-webkit|-moz)",
}


@pytest.mark.parametrize("kind", NEWER)
def test_only_features_that_firefox_and_safari_have_too(kind):
    for path in sorted(STATIC.glob(f"*.{kind}")):
        found = re.search(NEWER[kind], path.read_text())
        assert found is None, f"{path.name}: {found[0]}"
