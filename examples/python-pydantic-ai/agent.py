"""A Pydantic AI agent under hooks: `python agent.py`. The model is a script, so it runs without a network."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from becket import HookEngine, HookResult, PreToolUseInput
from becket.adapters.pydantic_ai import BecketCapability

engine = HookEngine()


@engine.hook("PreToolUse", matcher="shell")
def no_force(call: PreToolUseInput) -> HookResult | None:
    command = call.tool_input["command"]
    if "--force" in command:
        return HookResult(permission_decision="deny", reason="nothing is pushed by force")
    return HookResult(updated_input={"command": f"{command} --dry-run"})


def wants(command: str) -> ModelResponse:
    return ModelResponse([ToolCallPart("shell", {"command": command}, tool_call_id=command)])


answers = [wants("git push --force"), wants("git push"), ModelResponse([TextPart("pushed")])]


async def script(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    for part in messages[-1].parts:
        if isinstance(part, ToolReturnPart):
            print(f"the model reads: {part.content}")
    return answers.pop(0)


capability = BecketCapability(engine)
agent = Agent(FunctionModel(script), capabilities=[capability])


@agent.tool_plain
def shell(command: str) -> str:
    """Runs a command."""
    print(f"runs: {command}")
    return "ok"


async def main() -> None:
    result = await agent.run("publish it")
    print(f"answer: {result.output}")
    await capability.hooks.end()
    await engine.aclose()


asyncio.run(main())
