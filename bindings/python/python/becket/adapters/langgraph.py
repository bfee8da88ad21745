"""LangGraph and LangChain: `create_agent(..., middleware=[BecketMiddleware(engine)])`, run with `ainvoke` or `astream`.

A middleware of that kind has a place for everything but the session's end: call `await middleware.hooks.end()` there.
The synchronous `invoke` is refused by LangChain itself, since nothing here is synchronous.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ToolCallRequest, hook_config
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from becket import HookEngine
from becket.adapters.conversation import Conversation, Refused, Stopped

class ToolError(Exception):
    """The tool's own error, as LangGraph has put it into words."""


class BecketMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """The hooks of an engine around an agent's prompts, tool calls, requests and ends."""

    def __init__(self, engine: HookEngine) -> None:
        super().__init__()
        self.hooks = Conversation(engine)

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """A refused prompt is taken out and answered with the reason; the model never sees it."""
        prompt = state["messages"][-1]
        try:
            if isinstance(prompt, HumanMessage):
                await self.hooks.prompt(prompt.text)
            return None
        except Refused as refused:
            gone = [RemoveMessage(prompt.id)] if prompt.id else []
            return {"messages": [*gone, AIMessage(str(refused))], "jump_to": "end"}

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """What hooks have to tell goes into the conversation, after the results of all calls."""
        try:
            told = self.hooks.told()
        except Stopped as stopped:
            return {"messages": [AIMessage(str(stopped))], "jump_to": "end"}
        return {"messages": [HumanMessage(text) for text in told]} if told else None

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """A denied call is answered with the reason, as an error of the tool."""
        call, call_id = request.tool_call, request.tool_call["id"] or ""
        answered: list[ToolMessage | Command[Any]] = []

        async def run(args: dict[str, Any]) -> Any:
            answered.append(answer := await handler(request.override(tool_call={**call, "args": args})))
            if isinstance(answer, ToolMessage) and answer.status == "error":
                raise ToolError(answer.text)
            return answer.content if isinstance(answer, ToolMessage) else str(answer)

        try:
            content = await self.hooks.tool(call["name"], call["args"], call_id, run)
        except Refused as refused:
            return ToolMessage(str(refused), name=call["name"], tool_call_id=call_id, status="error")
        except ToolError:
            return answered[0]
        return a.model_copy(update={"content": content}) if isinstance(a := answered[0], ToolMessage) else a

    @hook_config(can_jump_to=["model"])
    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """A Stop hook that blocks has the agent go on."""
        feedback = await self.hooks.stop(state["messages"][-1].text)
        return {"messages": [HumanMessage(feedback)], "jump_to": "model"} if feedback else None
