"""Pydantic AI: `Agent(..., capabilities=[BecketCapability(engine)])`.

A capability covers everything but the session's end: call `await capability.hooks.end()` there. A refused
prompt raises `Refused` out of the run, a hook that stops the turn `Stopped`.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError
from pydantic_ai import RunContext, ToolDefinition
from pydantic_ai.capabilities import AbstractCapability, AgentNode, NodeResult
from pydantic_ai.capabilities import WrapToolExecuteHandler, WrapToolValidateHandler
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_graph import End

from becket import HookEngine, ToolApprovalCallback
from becket.adapters.conversation import Conversation, Refused


class BecketCapability(AbstractCapability[Any]):
    """The hooks of an engine around an agent's prompts, tool calls, requests and ends."""

    def __init__(self, engine: HookEngine, tool_approval_callback: ToolApprovalCallback | None = None) -> None:
        self.hooks, self._args = Conversation(engine, tool_approval_callback), dict[str, dict[str, Any]]()

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """A refused prompt ends the run before the model has seen it. A run that is resumed has none."""
        if ctx.prompt is not None:
            parts = [ctx.prompt] if isinstance(ctx.prompt, str) else ctx.prompt
            await self.hooks.prompt("\n".join(part for part in parts if isinstance(part, str)))

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Context of hooks is added to the history, after the results of all calls."""
        for text in self.hooks.told():
            ctx.enqueue(text)
        return request_context

    async def wrap_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition,
        args: str | dict[str, Any], handler: WrapToolValidateHandler,
    ) -> dict[str, Any]:  # fmt: skip
        """The gate, once the model's arguments are valid for the tool. A denied call fails with the reason."""
        validated, given = await handler(args), json.loads(args or "{}") if isinstance(args, str) else args
        try:
            wanted = await self.hooks.before(call.tool_name, given, call.tool_call_id)
            self._args[call.tool_call_id] = wanted
            return validated if wanted is given else await handler(wanted)
        except Refused as refused:
            raise ToolFailed(str(refused)) from refused
        except (ValidationError, ModelRetry) as error:
            raise ToolFailed("a hook rewrote the arguments so that they no longer fit the tool") from error

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition,
        args: dict[str, Any], handler: WrapToolExecuteHandler,
    ) -> Any:  # fmt: skip
        """The call itself, which must have passed the gate."""
        wanted = self._args.pop(call.tool_call_id)
        return await self.hooks.ran(call.tool_name, wanted, call.tool_call_id, handler(args))

    async def after_node_run(
        self, ctx: RunContext[Any], *, node: AgentNode[Any], result: NodeResult[Any]
    ) -> NodeResult[Any]:
        """A Stop hook that blocks makes the agent continue."""
        if isinstance(result, End) and (feedback := await self.hooks.stop(str(result.data.output))) is not None:
            ctx.enqueue(feedback)
        return result
