"""What the tests of the Python drivers share. The last line that they print is "N passed, N failed"."""
import pathlib
import re
import sys
import traceback

passed = failed = 0


def check(name, got, expected=True):
    global passed, failed
    if got == expected:
        passed += 1
        print(f"ok {name}")
    else:
        failed += 1
        print(f"FAILED {name}: got {got!r:.300}, expected {expected!r:.300}")


def attempt(name, test, *arguments):
    """Runs a test; an exception is a failure of it alone."""
    global failed
    try:
        test(*arguments)
    except Exception:
        failed += 1
        print(f"FAILED {name}")
        traceback.print_exc(file=sys.stdout)


def finish():
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


def snippets(heading):
    """The Python code under a heading of docs/drivers.md, or of the README of this folder, block by block."""
    pages = pathlib.Path(__file__).parents[2] / "docs" / "drivers.md", pathlib.Path(__file__).parent / "README.md"
    section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", "\n".join(page.read_text("utf-8") for page in pages), re.M | re.S)
    return re.findall(r"^```python\n(.*?)^```", section[1], re.M | re.S)


def run(heading, names):
    """Runs them one after the other in one name space, which it returns."""
    for block in snippets(heading):
        exec(compile(block, f"the page: {heading}", "exec"), names)
    return names
