"""The wheel in an environment of its own: every module loads, every file of the package is there, the page is served.

Nothing is downloaded: setuptools is the one of this environment, and so are the packages that Tesuji needs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ("pyproject.toml", "README.md", "LICENSE")
DATA = re.compile(r"\.(json|tsv|txt|network|js|css|html|svg)$|/py\.typed$")
BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2]))"
LOAD_ALL = """
import importlib, importlib.util, json, pkgutil, sys
import tesuji
names = [found.name for found in pkgutil.walk_packages(tesuji.__path__, "tesuji.") if not found.name.endswith(".__main__")]
with_torch = ["tesuji.learn.network.model", "tesuji.learn.network.training"]
for name in names:
    if name not in with_torch or importlib.util.find_spec("torch"):
        importlib.import_module(name)
print(json.dumps({"file": tesuji.__file__, "names": names}))
"""


def test_the_wheel(tmp_path):
    """One test, since both parts need the same environment, which takes some seconds to make."""
    home = installed(tmp_path / "wheel")
    every_module_loads_and_every_file_is_there(home, tmp_path)
    the_installed_command_serves_the_page(home, tmp_path)


def installed(folder):
    """The folder of an environment with the wheel in it, and nothing else of this checkout."""
    if find_spec("setuptools") is None or find_spec("pip") is None:
        pytest.skip("pip and setuptools are needed to build a wheel without the network")
    source, wheels, home = folder / "source", folder / "wheels", folder / "home"
    source.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-compile"]
    wheels.mkdir()
    # As `python -m build` does: a source archive, and the wheel from that.
    archive = run([sys.executable, "-c", BUILD, "sdist", str(wheels)], cwd=source).split()[-1]
    shutil.unpack_archive(wheels / archive, folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    run([sys.executable, "-c", BUILD, "wheel", str(wheels)], cwd=unpacked)
    run([sys.executable, "-m", "venv", "--without-pip", str(home)])
    (wheel,) = wheels.glob("tesuji-*.whl")
    python = home / "bin" / "python"
    run([*pip, "--python", str(python), "install", *offline, str(wheel)])
    (site,) = home.glob("lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")  # what Tesuji needs; not what links to this checkout
    return home


def run(words, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def every_module_loads_and_every_file_is_there(home, tmp_path):
    found = json.loads(run([str(home / "bin" / "python"), "-I", "-c", LOAD_ALL], cwd=tmp_path))
    package = Path(found["file"]).parent
    assert package.is_relative_to(home)
    source = ROOT / "src" / "tesuji"
    modules = {path.relative_to(source).with_suffix("") for path in source.rglob("*.py")}
    named = {".".join(("tesuji", *path.parts)).removesuffix(".__init__") for path in modules}
    assert set(found["names"]) == named - {"tesuji", "tesuji.__init__", "tesuji.__main__"}

    def data(folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if DATA.search(str(path))}

    assert data(package) == data(source) and "web/static/main.js" in data(package)


def the_installed_command_serves_the_page(home, tmp_path):
    words = [str(home / "bin" / "tesuji"), "play", "tictactoe", "--no-browser", "--side", "both"]
    environment = {**os.environ, "TESUJI_PURE": "1"}
    environment.pop("PYTHONPATH", None)
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment, cwd=tmp_path
    )
    try:
        address = re.search(r"http://\S+", process.stdout.readline() + process.stdout.readline())[0]
        browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        base = address.partition("/enter#")[0]
        pages = [browser.open(page, timeout=60).read().decode() for page in (address, f"{base}/")]
        linked = re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", "".join(pages))
        assert {"/static/enter.js", "/static/main.js"} <= set(linked)
        waiting, seen = list(linked), set()
        while waiting:  # every module imports others
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                text = browser.open(base + path, timeout=60).read().decode()
                waiting += ["/static/" + name for name in re.findall(r"from \"\./([\w.]+)\"", text)]
        assert {f"/static/{path.name}" for path in (ROOT / "src/tesuji/web/static").glob("*.js")} <= seen
    finally:
        process.terminate()
        process.wait(60)
