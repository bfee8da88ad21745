"""A LangChain agent under hooks: `python agent.py`. The model is a script, so it runs without a network."""

import asyncio
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

from becket import HookEngine, HookResult, PreToolUseInput
from becket.adapters.langgraph import BecketMiddleware

engine = HookEngine()


@engine.hook("PreToolUse", matcher="shell")
def no_force(call: PreToolUseInput) -> HookResult | None:
    command = call.tool_input["command"]
    if "--force" in command:
        return HookResult(permission_decision="deny", reason="nothing is pushed by force")
    return HookResult(updated_input={"command": f"{command} --dry-run"})


def shell(command: str) -> str:
    """Runs a command."""
    print(f"runs: {command}")
    return "ok"


class Script(GenericFakeChatModel):
    """Answers what is written down, whatever tools there are."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


def wants(command: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": command, "name": "shell", "args": {"command": command}}])


async def main() -> None:
    model = Script(messages=iter([wants("git push --force"), wants("git push"), AIMessage("pushed")]))
    middleware = BecketMiddleware(engine)
    agent = create_agent(model, [shell], middleware=[middleware])
    state = await agent.ainvoke({"messages": [HumanMessage("publish it")]})
    for message in state["messages"]:
        if message.text:
            print(f"{message.type}: {message.text}")
    await middleware.hooks.end()
    await engine.aclose()


asyncio.run(main())
