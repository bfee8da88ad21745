"""LangGraph and LangChain: `create_agent(..., middleware=[BecketMiddleware(engine)])`, run with `ainvoke` or `astream`.

It covers everything but the session's end: call `await middleware.hooks.end()` there. LangChain refuses `invoke`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import takewhile
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ToolCallRequest, hook_config
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from becket import HookEngine, ToolApprovalCallback
from becket.adapters.conversation import Conversation, Refused, Stopped, words

Answer = ToolMessage | Command[Any]
Handler = Callable[[ToolCallRequest], Awaitable[Answer]]


class ToolError(Exception):
    """The tool's own error, as LangGraph represents it."""


class BecketMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """The hooks of an engine around an agent's prompts, tool calls, requests and ends."""

    def __init__(self, engine: HookEngine, tool_approval_callback: ToolApprovalCallback | None = None) -> None:
        super().__init__()
        self.hooks = Conversation(engine, tool_approval_callback)

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """A refused prompt, all messages of it, is removed and answered with the reason; the model never sees it."""
        prompt = list(takewhile(lambda message: isinstance(message, HumanMessage), reversed(state["messages"])))[::-1]
        try:
            if prompt:
                await self.hooks.prompt("\n".join(message.text for message in prompt))
            return None
        except Refused as refused:
            return {"messages": [*(RemoveMessage(str(m.id)) for m in prompt), AIMessage(str(refused))], "jump_to": "end"}

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Context of hooks is added to the conversation, after the results of all calls."""
        try:
            return {"messages": [HumanMessage(text) for text in self.hooks.told()]}
        except Stopped as stopped:
            return {"messages": [AIMessage(str(stopped))], "jump_to": "end"}

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Handler) -> Answer:
        """A denied call is answered with the reason, as an error of the tool."""
        call, call_id, answered = request.tool_call, request.tool_call["id"] or "", list[Answer]()

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
        if isinstance(answer := answered[0], Command) and content == str(answer):
            return answer
        message = answer if isinstance(answer, ToolMessage) else ToolMessage("", tool_call_id=call_id)
        return message.model_copy(update={"content": content if isinstance(content, list) else words(content)})

    @hook_config(can_jump_to=["model"])
    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """A Stop hook that blocks makes the agent continue."""
        feedback = await self.hooks.stop(state["messages"][-1].text)
        return {"messages": [HumanMessage(feedback)], "jump_to": "model"} if feedback else None
