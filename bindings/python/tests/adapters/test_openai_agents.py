"""Features of the OpenAI Agents SDK besides tools of the agent itself must not bypass the hooks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from agents import Agent, function_tool
from agents.exceptions import UserError
from agents.testing import ScriptedModel, assistant_message, function_call

from becket import HookEngine
from becket.adapters.openai_agents import BecketAgents


def test_the_tools_of_an_agent_handed_off_to_pass_the_hooks_or_do_not_run(project: Path) -> None:
    ran: list[str] = []

    def shell(command: str) -> str:
        """Runs a command."""
        ran.append(command)
        return "ran"

    def hand_off(second: Agent) -> Agent:
        model = ScriptedModel([[function_call("transfer_to_second", {}, call_id="h")]])
        return Agent(name="first", model=model, handoffs=[second])

    def second() -> Agent:
        steps = [[function_call("shell", {"command": "ls"}, call_id="c")], [assistant_message("done")]]
        return Agent(name="second", model=ScriptedModel(steps), tools=[function_tool(shell)])

    with HookEngine(project) as engine:
        hooked = BecketAgents(engine)
        with pytest.raises(UserError, match="`shell` passes no hooks"):
            asyncio.run(hooked.run(hand_off(second()), "go", tracing_disabled=True))
        assert ran == []
        asyncio.run(hooked.run(hand_off(hooked.agent(second())), "go", tracing_disabled=True))
        assert ran == ["ls"]


def test_arguments_that_are_no_json_never_reach_a_hook(project: Path) -> None:
    fired: list[object] = []

    def shell(command: str) -> str:
        """Runs a command."""
        return "ran"

    model = ScriptedModel([[function_call("shell", "{not json", call_id="c")], [assistant_message("done")]])
    with HookEngine(project) as engine:
        engine.add_hook("PreToolUse", fired.append)
        agent = Agent(name="a", model=model, tools=[function_tool(shell)])
        asyncio.run(BecketAgents(engine).run(agent, "go", tracing_disabled=True))
    assert fired == []
