"""Programs under the rules of a session: their refusals, and their complete end (rules E1-E3, E5, E7)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Make

from becket import ExecError, HookEngine, SessionClosed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs can be supervised on Linux only")

GENEROUS = 30.0
RULES = {"permissions": {"deny": ["Bash(git push *)"]}}
GIT = "git -c user.name=t -c user.email=t@example.com"
LEAVES_TWO = "(setsid sleep 300 & echo $! > child); echo $$ > pid; exec sleep 300"


@pytest.fixture
def repository(project: Path) -> Path:
    """A repository with a commit, and another one that it would be pushed to. A Makefile and scripts push."""
    (project / "Makefile").write_text("all:\n\t@touch built\n\t@sh ./release.sh\n")
    (project / "release.sh").write_text("remote=origin\ngit push -q $remote HEAD:refs/heads/released\n")
    (project / "push.py").write_text("import subprocess, sys\nsys.exit(subprocess.call(['git', 'push', '-q', 'origin', 'HEAD:refs/heads/a']))\n")
    line = f"git init -q --bare ../remote && git init -q . && git remote add origin ../remote && {GIT} commit -q --allow-empty -m one"
    subprocess.run(line, shell=True, cwd=project, check=True)
    return project


def refs(project: Path) -> str:
    """Returns the refs that were pushed."""
    return subprocess.run(["git", "ls-remote", "../remote"], cwd=project, capture_output=True, text=True, check=True).stdout


def runs(file: Path) -> bool:
    """Returns whether the process that wrote its id there still runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{int(file.read_text())}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def is_gone(file: Path) -> bool:
    """Returns whether that process ends."""
    for _ in range(300):
        if not runs(file):
            return True
        time.sleep(0.02)
    return False


def begun(project: Path) -> bool:
    """Returns whether the program of `LEAVES_TWO` and its child run."""
    return all((project / name).exists() and (project / name).read_text().endswith("\n") for name in ("child", "pid"))


# rules: E1, E3
async def pushes(engine: HookEngine) -> None:
    made = await engine.exec("make", "-s")
    (denied,) = made.denied
    assert denied.chain == ["make", "sh", "git"], made
    assert denied.command.startswith("git push -q origin") and "Bash(git push *)" in denied.reason, made
    assert (made.code, made.refusals, made.is_cut) == (2, [], False) and "run by make → sh → git" in made.stderr, made
    scripted = await engine.exec(sys.executable, "push.py")
    assert scripted.code == 126 and scripted.denied[0].chain[-1] == "git", scripted


def test_a_push_of_a_makefile_and_of_a_script_is_refused(make: Make, repository: Path) -> None:
    engine = make(settings=RULES)
    asyncio.run(pushes(engine))
    assert engine.exec_sync("make", "-s").denied[0].chain == ["make", "sh", "git"]
    assert (repository / "built").exists() and refs(repository) == ""
    # Without the rule the same program pushes.
    assert make(settings={}).exec_sync("make", "-s").code == 0
    assert "refs/heads/released" in refs(repository)


def test_a_program_passes_with_its_code_streams_directory_and_variables(make: Make, project: Path) -> None:
    engine = make(settings=RULES)
    (project / "inside").mkdir()
    line = 'pwd; echo "$GREETING$HOME" >&2; read line; exit 7'
    report = engine.exec_sync("sh", "-c", line, cwd=Path("inside"), env={"GREETING": "hello", "HOME": None}, timeout=GENEROUS)
    assert (report.code, report.stdout, report.stderr) == (7, f"{(project / 'inside').resolve()}\n", "hello\n")
    assert (report.denied, report.refusals, report.is_cut) == ([], [], False)
    report = engine.exec_sync("sh", "-c", "head -c 100 /dev/zero", max_output_bytes=10)
    assert (len(report.stdout), report.is_cut) == (10, True)


# rule: E5
def test_the_keys_of_sandbox_refuse_accesses_and_the_report_names_them(
    make: Make, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The directory for temporary files can be written, and the tests are in it.
    (project / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(project / "tmp"))
    (project / "secret").write_text("hidden")
    sandbox = {"enabled": True, "filesystem": {"denyRead": [str(project / "secret")]}}
    engine = make(settings={"sandbox": sandbox})
    report = engine.exec_sync("sh", "-c", "echo a > in; touch ../out; cat secret; true")
    assert (project / "in").exists() and not (project.parent / "out").exists() and "hidden" not in report.stdout
    refused = {(refusal.right, Path(refusal.target or "").name): refusal for refusal in report.refusals}
    assert refused["write", "out"].chain == ["sh", "touch"] and "has no right to write" in refused["write", "out"].text
    assert refused["read", "secret"].command == "cat secret", report
    # An unreadable setting refuses everything, with a message.
    with pytest.raises(ExecError, match="`touch x`: nothing was run: .*can't be read") as raised:
        make(settings={"sandbox": {"enabled": True, "filesystem": {"denyRead": 7}}}).exec_sync("touch", "x")
    assert raised.value.kind == "not_run" and not (project / "x").exists()


# rules: E7, H4
def test_a_cancelled_program_leaves_no_process(make: Make, project: Path) -> None:
    engine = make(settings=RULES)

    async def cancels() -> None:
        task = asyncio.ensure_future(engine.exec("sh", "-c", LEAVES_TWO))
        while not begun(project):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # It ends before the task does: no waiting here.
        for name in ("child", "pid"):
            assert not runs(project / name), name

    asyncio.run(cancels())


# rule: E7
def test_a_program_ends_at_its_limit_with_its_engine_and_with_its_supervisor(make: Make, project: Path) -> None:
    engine = make(settings=RULES)
    with pytest.raises(ExecError, match="longer than 1000 ms") as raised:
        engine.exec_sync("sh", "-c", LEAVES_TWO, timeout=1)
    assert raised.value.kind == "timed_out"
    if begun(project):
        assert is_gone(project / "child") and is_gone(project / "pid")
    for name in ("child", "pid"):
        (project / name).unlink(missing_ok=True)
    ends: list[BaseException] = []

    def waits() -> None:
        try:
            engine.exec_sync("sh", "-c", LEAVES_TWO)
        except BaseException as error:
            ends.append(error)

    thread = threading.Thread(target=waits)
    thread.start()
    while not begun(project):
        time.sleep(0.01)
    engine.close()
    thread.join(GENEROUS)
    assert isinstance(ends[0], SessionClosed) and "sleep 300" in str(ends[0]), ends
    assert is_gone(project / "child") and is_gone(project / "pid")
    with pytest.raises(SessionClosed):
        engine.exec_sync("true")


# rule: E2
@pytest.mark.parametrize(
    ("words", "options", "kind", "says"),
    [
        (["no-such-program", "a b"], {}, "not_run", "`no-such-program 'a b'`: nothing was run: .*no-such-program"),
        ([""], {}, "not_run", "`program` is missing"),
        ([7], {}, "not_run", "texts or paths"),
        (["true"], {"timeout": 0}, "not_run", "`true`: `timeout` is 0, not a number of seconds above 0"),
        (["true"], {"timeout": float("nan")}, "not_run", "`timeout` is nan"),
        (["true"], {"env": {"A=B": "c"}}, "not_run", "A=B"),
        (["true"], {"max_output_bytes": -1}, "not_run", "-1"),
        (["true"], {"becket": "/missing/becket"}, "not_run", "`true`: the supervisor `/missing/becket` can't be started"),
        (["true"], {"becket": "/bin/true"}, "lost", "`true`: the supervisor `/bin/true` ended without a result"),
    ],
)
def test_an_error_says_what_was_not_run_and_why(
    make: Make, words: list[Any], options: dict[str, Any], kind: str, says: str
) -> None:
    engine = make(settings=RULES)
    with pytest.raises(ExecError, match=says) as raised:
        engine.exec_sync(*words, **options)
    assert raised.value.kind == kind
    with pytest.raises(ExecError, match=says):
        asyncio.run(engine.exec(*words, **options))


# rules: H4, E7
def test_a_signal_and_the_end_of_the_loop_end_the_program(project: Path) -> None:
    body = f"""
    import asyncio, signal
    from becket import HookEngine
    signal.signal(signal.SIGINT, signal.default_int_handler)
    engine = HookEngine(".", trust=True)
    try:
        engine.exec_sync("sh", "-c", {LEAVES_TWO!r})
    except KeyboardInterrupt:
        print("interrupted")
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(body)], cwd=project, stdout=subprocess.PIPE, text=True)
    for _ in range(int(GENEROUS * 50)):
        if begun(project):
            break
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGINT)
    assert child.communicate(timeout=GENEROUS)[0] == "interrupted\n"
    assert is_gone(project / "child") and is_gone(project / "pid")
