"""An agent of the OpenAI Agents SDK under hooks: `python agent.py`. The model is a script: it runs without a network."""

import asyncio

from agents import Agent, function_tool
from agents.items import TResponseOutputItem
from agents.testing import ScriptedModel, assistant_message, function_call

from becket import HookEngine, HookResult, PreToolUseInput
from becket.adapters.openai_agents import BecketAgents

engine = HookEngine()


@engine.hook("PreToolUse", matcher="shell")
def no_force(call: PreToolUseInput) -> HookResult | None:
    command = call.tool_input["command"]
    if "--force" in command:
        return HookResult(permission_decision="deny", reason="nothing is pushed by force")
    return HookResult(updated_input={"command": f"{command} --dry-run"})


@function_tool
def shell(command: str) -> str:
    """Runs a command."""
    print(f"runs: {command}")
    return "ok"


def wants(command: str) -> list[TResponseOutputItem]:
    return [function_call("shell", {"command": command}, call_id=command)]


async def main() -> None:
    model = ScriptedModel([wants("git push --force"), wants("git push"), [assistant_message("pushed")]])
    hooked = BecketAgents(engine)
    agent = Agent(name="publisher", model=model, tools=[shell])
    result = await hooked.run(agent, "publish it", tracing_disabled=True)
    for item in result.new_items:
        if item.type == "tool_call_output_item":
            print(f"the model reads: {item.output}")
    print(f"answer: {result.final_output}")
    await hooked.hooks.end()
    await engine.aclose()


asyncio.run(main())
