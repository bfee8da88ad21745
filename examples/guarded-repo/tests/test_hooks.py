"""The hooks, run as an agent runs them: a process, JSON on stdin. `python3 -m unittest discover -s tests`"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLAUDE = os.path.join(ROOT, ".claude")


def run(command, event, cwd=ROOT):
    env = {"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": cwd, "HOME": cwd}
    done = subprocess.run(command, input=json.dumps(event), capture_output=True, text=True, cwd=cwd, env=env, timeout=60)
    own = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout.strip() else {}
    return done, own


def pre_tool_use(tool, **tool_input):
    return {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": tool_input, "tool_use_id": "t"}


class GitGuard(unittest.TestCase):
    def decision(self, command):
        guard = [sys.executable, os.path.join(CLAUDE, "hooks", "git_guard.py")]
        done, own = run(guard, pre_tool_use("Bash", command=command))
        self.assertEqual(done.returncode, 0, done.stderr)
        return own.get("permissionDecision")

    def test_protected_branches_are_not_overwritten(self):
        for command in [
            "git push --force origin main",
            "git push -f origin HEAD:main",
            "git push -uf origin main",
            "git push origin +main",
            "git push --force-with-lease origin release/1.2",
            "git push origin :main",
            "git push --delete origin master",
            "git -C sub -c a=b push --force origin refs/heads/main",
            "cd a && sudo /usr/bin/git push -f origin topic main",
            "bash -c 'git push --force origin main'",
            "git status; git push --force origin main",
            "git push -o ci.skip --force origin main",
            "git status\ngit push --force origin main",
        ]:
            self.assertEqual(self.decision(command), "deny", command)

    def test_work_is_not_thrown_away_unasked(self):
        for command in [
            "git push --force",
            "git push -f --all origin",
            "git reset --hard HEAD~1",
            "git clean -fdx",
            "git branch -D topic",
            "git push origin 'main",
        ]:
            self.assertEqual(self.decision(command), "ask", command)

    def test_a_denial_is_not_lost_beside_an_ask(self):
        self.assertEqual(self.decision("git reset --hard && git push -f origin main"), "deny")

    def test_everything_else_passes(self):
        for command in [
            "git push origin main",
            "git push -f origin topic",
            "git push origin topic:topic",
            "git log --oneline -f main",
            "echo git",
            "",
        ]:
            self.assertIsNone(self.decision(command), command)


class SecretGuard(unittest.TestCase):
    def run_on(self, tool, **tool_input):
        guard = [sys.executable, os.path.join(CLAUDE, "plugins", "secret-guard", "secret_guard.py")]
        return run(guard, pre_tool_use(tool, **tool_input))[0]

    def test_keys_are_found_and_not_repeated(self):
        key = "AKIA" + "A1B2C3D4E5F6G7H8"
        done = self.run_on("Write", file_path="/x", content="one\nkey = " + key)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Line 2 of `content`", done.stderr)
        self.assertNotIn(key, done.stderr)
        self.assertEqual(self.run_on("Bash", command="curl -H 'x: ghp_" + "a" * 36 + "'").returncode, 2)
        self.assertEqual(self.run_on("Edit", new_string="-----BEGIN RSA PRIVATE " + "KEY-----").returncode, 2)

    def test_plain_text_passes(self):
        done = self.run_on("Write", file_path="/x", content="the task-force skipped the AKIA brand")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Context(unittest.TestCase):
    def context(self, cwd):
        script = os.path.join(CLAUDE, "plugins", "repo-context", "context.sh")
        done, own = run(["sh", script, "SessionStart"], {"hook_event_name": "SessionStart"}, cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return own["additionalContext"]

    def test_every_state_of_a_repository_has_its_line(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(self.context(directory), "No git branch is checked out here.")
            subprocess.run(["git", "init", "-q", "-b", "topic", directory], check=True)
            self.assertEqual(self.context(directory), "On branch topic, which has no upstream.")


class Format(unittest.TestCase):
    def formatted(self, name, text):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            event = {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": path}}
            done, own = run(["sh", os.path.join(CLAUDE, "hooks", "format.sh")], event, directory)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                return file.read(), bool(own)

    def test_files_are_tidied_and_the_model_is_told(self):
        self.assertEqual(self.formatted("a.json", '{"b":1}'), ('{\n  "b": 1\n}\n', True))
        self.assertEqual(self.formatted("a.py", "x = 1  \n"), ("x = 1\n", True))
        self.assertEqual(self.formatted("a.py", "x = 1\n"), ("x = 1\n", False))

    def test_what_can_not_be_tidied_stays(self):
        self.assertEqual(self.formatted("a.json", "{broken"), ("{broken", False))
        self.assertEqual(self.formatted("a.bin", "x  "), ("x  ", False))


class TestsPass(unittest.TestCase):
    def stop(self, active, test):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "tests"))
            with open(os.path.join(directory, "tests", "test_till.py"), "w", encoding="utf-8") as file:
                file.write(f"import unittest\nclass T(unittest.TestCase):\n    def test(self): {test}\n")
            event = {"hook_event_name": "Stop", "stop_hook_active": active}
            return run(["sh", os.path.join(CLAUDE, "hooks", "tests_pass.sh")], event, directory)[0]

    def test_a_turn_ends_when_the_tests_pass(self):
        self.assertEqual(self.stop(False, "pass").returncode, 0)
        failed = self.stop(False, "self.fail('broken')")
        self.assertEqual(failed.returncode, 2)
        self.assertIn("broken", failed.stderr)

    def test_one_reminder_is_enough(self):
        self.assertEqual(self.stop(True, "self.fail('broken')").returncode, 0)


if __name__ == "__main__":
    unittest.main()
