"""One small agent in each framework, offline: a scripted model, and a tool `shell` that records its inputs.

A script is the model's answers, in order: a text, or calls of `shell` as a dict of id to arguments.
"""

# The frameworks leave some of their types open.
# pyright: basic

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from becket import HookEngine, ToolApprovalCallback

Script = list[str | dict[str, dict[str, Any]]]
Approve = ToolApprovalCallback | None


@dataclass
class Talk:
    """The result. `requests` has, for each request to the model, all texts in it, in order."""

    answer: str = ""
    refused: str = ""
    ran: list[str] = field(default_factory=list[str])
    requests: list[list[str]] = field(default_factory=list[list[str]])

    def shell(self, command: str) -> str:
        self.ran.append(command)
        if command == "fail":
            raise RuntimeError("broken pipe")
        return f"ran {command}"


async def plain(engine: HookEngine, script: Script, prompt: str, approve: Approve = None) -> Talk:
    from becket.adapters.conversation import Conversation
    from becket.adapters.plain import Message, turn

    talk, hooks = Talk(), Conversation(engine, approve)

    async def model(messages: list[Message]) -> Message:
        talk.requests.append([str(message["content"]) for message in messages])
        step = script[len(talk.requests) - 1]
        if isinstance(step, str):
            return {"role": "assistant", "content": step}
        calls = [{"id": call, "name": "shell", "args": args} for call, args in step.items()]
        return {"role": "assistant", "content": "", "tool_calls": calls}

    async def shell(command: str) -> str:
        return talk.shell(command)

    talk.answer = await turn(hooks, model, {"shell": shell}, [], prompt)
    talk.refused = "" if talk.requests else talk.answer
    await hooks.end()
    return talk


async def langgraph(engine: HookEngine, script: Script, prompt: str, approve: Approve = None) -> Talk:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import ToolException, tool

    from becket.adapters.langgraph import BecketMiddleware

    talk, middleware = Talk(), BecketMiddleware(engine, approve)

    class Model(GenericFakeChatModel):
        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

        async def _agenerate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            talk.requests.append([message.text for message in messages])
            return self._generate(messages)

    def shell(command: str) -> str:
        """Runs a command."""
        try:
            return talk.shell(command)
        except RuntimeError as error:
            raise ToolException(str(error)) from error

    answers = [
        AIMessage(step)
        if isinstance(step, str)
        else AIMessage("", tool_calls=[{"id": c, "name": "shell", "args": a} for c, a in step.items()])
        for step in script
    ]
    handled = tool(shell)
    handled.handle_tool_error = True
    agent = create_agent(Model(messages=iter(answers)), [handled], middleware=[middleware])
    state = await agent.ainvoke({"messages": [HumanMessage(prompt)]})
    talk.answer = state["messages"][-1].text
    talk.refused = "" if talk.requests else talk.answer
    await middleware.hooks.end()
    return talk


async def openai_agents(engine: HookEngine, script: Script, prompt: str, approve: Approve = None) -> Talk:
    from agents import Agent, InputGuardrailTripwireTriggered, function_tool
    from agents.testing import ScriptedModel, assistant_message, function_call

    from becket.adapters.conversation import Stopped
    from becket.adapters.openai_agents import BecketAgents

    talk, hooked = Talk(), BecketAgents(engine, approve)
    steps = [
        [assistant_message(step)]
        if isinstance(step, str)
        else [function_call("shell", args, call_id=call) for call, args in step.items()]
        for step in script
    ]
    model = ScriptedModel(steps)

    def shell(command: str) -> str:
        """Runs a command."""
        return talk.shell(command)

    agent = Agent(name="a", model=model, tools=[function_tool(shell, failure_error_function=_told)])
    try:
        result = await hooked.run(agent, prompt, tracing_disabled=True)
        talk.answer = str(result.final_output)
    except InputGuardrailTripwireTriggered as tripwire:
        talk.refused = str(tripwire.guardrail_result.output.output_info)
    except Stopped as stopped:
        talk.answer = str(stopped)
    talk.requests = [[_text(item) for item in call.input] for call in model.calls]
    await hooked.hooks.end()
    return talk


def _told(_: Any, error: Exception) -> str:
    return f"failed: {error}"


def _text(item: Any) -> str:
    item = item if isinstance(item, dict) else item.model_dump()
    content = item.get("output", item.get("content", item.get("arguments", "")))
    return content if isinstance(content, str) else json.dumps(content)


async def pydantic_ai(engine: HookEngine, script: Script, prompt: str, approve: Approve = None) -> Talk:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from becket.adapters.conversation import Refused, Stopped
    from becket.adapters.pydantic_ai import BecketCapability

    talk, capability = Talk(), BecketCapability(engine, approve)

    async def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        parts = [part for message in messages for part in message.parts]
        talk.requests.append([str(getattr(part, "content", "")) for part in parts])
        step = script[len(talk.requests) - 1]
        if isinstance(step, str):
            return ModelResponse([TextPart(step)])
        return ModelResponse([ToolCallPart("shell", args, tool_call_id=call) for call, args in step.items()])

    agent = Agent(FunctionModel(model), capabilities=[capability])

    @agent.tool_plain
    def shell(command: str) -> str:
        """Runs a command."""
        return talk.shell(command)

    try:
        talk.answer = (await agent.run(prompt)).output
    except Refused as refused:
        talk.refused = str(refused)
    except Stopped as stopped:
        talk.answer = str(stopped)
    except RuntimeError as error:
        talk.answer = f"failed: {error}"
    await capability.hooks.end()
    return talk


AGENTS: dict[str, Callable[[HookEngine, Script, str, Approve], Awaitable[Talk]]] = {
    "plain": plain,
    "langgraph": langgraph,
    "openai_agents": openai_agents,
    "pydantic_ai": pydantic_ai,
}
