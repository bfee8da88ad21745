"""Special paths of frameworks on which a hook must not be bypassed."""

# The frameworks leave some of their types open.
# pyright: basic

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from becket import HookEngine


def test_langgraph_judges_all_of_a_prompt_in_several_messages(project: Path) -> None:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage

    from becket.adapters.langgraph import BecketMiddleware

    with HookEngine(project) as engine:
        engine.add_hook(
            "UserPromptSubmit", lambda event: {"decision": "block", "reason": "no"} if "evil" in event.prompt else None
        )
        agent = create_agent(
            GenericFakeChatModel(messages=iter([AIMessage("read it")])), [], middleware=[BecketMiddleware(engine)]
        )
        prompt = {"messages": [HumanMessage("evil"), HumanMessage("and more")]}
        state = asyncio.run(agent.ainvoke(prompt))  # type: ignore[arg-type]
    assert [(message.type, message.text) for message in state["messages"]] == [("ai", "no")]


def test_langgraph_replaces_the_result_of_a_tool_that_commands(project: Path) -> None:
    from langchain.agents.middleware import ToolCallRequest
    from langchain_core.messages import ToolMessage
    from langgraph.types import Command

    from becket.adapters.langgraph import BecketMiddleware

    async def answers(_: ToolCallRequest) -> Any:
        return Command(update={"messages": [ToolMessage("the secret", tool_call_id="t1")]})

    async def called(replaced: Any) -> Any:
        with HookEngine(project) as engine:
            specific = {"hookEventName": "PostToolUse", "updatedToolOutput": replaced}
            engine.add_hook("PostToolUse", lambda _: {"hookSpecificOutput": specific})
            call: Any = {"name": "shell", "args": {}, "id": "t1", "type": "tool_call"}
            request = ToolCallRequest(tool_call=call, tool=None, state={}, runtime=None)  # type: ignore[arg-type]
            return await BecketMiddleware(engine).awrap_tool_call(request, answers)

    for replaced, content in (("***", "***"), ({"n": None}, '{"n":null}')):
        answer = asyncio.run(called(replaced))
        assert (answer.content, answer.tool_call_id) == (content, "t1")
    assert isinstance(asyncio.run(called(None)), Command)


@pytest.mark.parametrize("is_guarded", [False, True])
def test_openai_an_agent_as_a_tool_runs_under_hooks_or_not_at_all(project: Path, is_guarded: bool) -> None:
    from agents import Agent, function_tool
    from agents.exceptions import UserError
    from agents.testing import ScriptedModel, assistant_message, function_call

    from becket.adapters.openai_agents import BecketAgents

    ran: list[str] = []

    @function_tool
    def shell(command: str) -> str:
        """Runs a command."""
        ran.append(command)
        return "ok"

    async def run(engine: HookEngine) -> None:
        hooked = BecketAgents(engine)
        script = ScriptedModel([[function_call("shell", {"command": "rm x"}, call_id="i")], [assistant_message("in")]])
        inner = Agent(name="inner", model=script, tools=[shell])
        named: Any = {"tool_name": "ask", "tool_description": "asks another agent"}
        ask = hooked.tool(hooked.agent(inner).as_tool(**named)) if is_guarded else inner.as_tool(**named)
        model = ScriptedModel([[function_call("ask", {"input": "do it"}, call_id="o")], [assistant_message("out")]])
        await hooked.run(Agent(name="outer", model=model, tools=[ask]), "go", tracing_disabled=True)

    with HookEngine(project) as engine:
        engine.add_hook("PreToolUse", lambda _: {"decision": "block", "reason": "no"}, matcher="shell")
        if is_guarded:
            asyncio.run(run(engine))
        else:
            with pytest.raises(UserError, match="passes no hooks"):
                asyncio.run(run(engine))
    assert ran == []
