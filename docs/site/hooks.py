"""What the site has from outside of docs/: README.md as its home page, pages beside it, the examples, and the reference."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
EXAMPLES = ("col", "isolation", "mini", "torch_evaluator", "onnx_evaluator")
GROUPS = (
    ("Games and positions", ("game", "list_games", "Game", "Position", "Encoding", "check")),
    ("Players and searches", ("player", "list_players", "load", "Player", "Search", "Analysis", "MoveAnalysis", "TreeNode")),
    ("Proofs", ("solve", "Proof", "verify", "Verification")),
    ("Matches", ("match", "Match", "CompletedGame")),
    ("Errors", ("Error", "UserError")),
)


def reference() -> str:
    """A page of directives for mkdocstrings: all public names, those of no group at the end."""
    tree = ast.parse((ROOT / "src" / "tesuji" / "__init__.py").read_text(encoding="utf-8"))
    lists = [one.value for one in tree.body if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == "__all__"]
    public = [name for name in ast.literal_eval(lists[0]) if name != "__version__"]
    grouped = {name for _, names in GROUPS for name in names}
    rest = tuple(name for name in public if name not in grouped and not name.isupper())  # constants are in extending.md
    lines = [
        "# Reference",
        "",
        "The public names, from their docstrings. [The Python API](api.md) and [extending](extending.md) have examples.",
    ]
    for title, names in (*GROUPS, ("For games, rules and policies of your own", rest)):
        lines += ["", f"## {title}"]
        lines += [f"\n::: tesuji.{name}" for name in names]
    return "\n".join(lines) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    for name in EXAMPLES:
        code = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
        files.append(File.generated(config, f"examples/{name}.md", content=f"# examples/{name}.py\n\n```python\n{code}```\n"))
    files.append(File.generated(config, "reference.md", content=reference()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links that fit the repository, as links of the site."""
    depth = page.file.src_uri.count("/")
    at_root = page.file.src_uri in PAGES.values()
    home = "../" * depth if at_root or depth else ""

    def moved(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        path = target if at_root else target.removeprefix("../" * (depth + 1))
        if at_root and target.startswith("docs/"):
            return f"]({target.removeprefix('docs/')}{anchor})"
        if at_root or path != target:
            if path in PAGES:
                return f"]({home}{PAGES[path]}{anchor})"
            if re.fullmatch(r"examples/\w+\.py", path):
                return f"]({home}{path.removesuffix('.py')}.md{anchor})"
        return found[0]

    return re.sub(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)", moved, markdown)
