"""A loop of one's own under hooks: `python agent.py`. The model is a script, so it runs without a network."""

import asyncio
from typing import Any

from becket import HookEngine, HookResult, PreToolUseInput
from becket.adapters.conversation import Conversation
from becket.adapters.plain import Message, turn

engine = HookEngine()


@engine.hook("PreToolUse", matcher="shell")
def no_force(call: PreToolUseInput) -> HookResult | None:
    command = call.tool_input["command"]
    if "--force" in command:
        return HookResult(permission_decision="deny", reason="nothing is pushed by force")
    return HookResult(updated_input={"command": f"{command} --dry-run"})


async def shell(command: str) -> str:
    print(f"runs: {command}")
    return "ok"


def wants(command: str) -> Message:
    call = {"id": command, "name": "shell", "args": {"command": command}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


async def main() -> None:
    answers: list[Message] = [wants("git push --force"), wants("git push"), {"role": "assistant", "content": "pushed"}]

    async def model(messages: list[Message]) -> Message:
        print(f"the model reads: {messages[-1]['content']}")
        return answers.pop(0)

    hooks, history = Conversation(engine), list[dict[str, Any]]()
    print(f"answer: {await turn(hooks, model, {'shell': shell}, history, 'publish it')}")
    await hooks.end()
    await engine.aclose()


asyncio.run(main())
