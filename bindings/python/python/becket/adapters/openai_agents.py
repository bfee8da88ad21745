"""OpenAI Agents SDK: `BecketAgents(engine)` gives an agent its guardrails, and runs it.

A guardrail can't rewrite, so function tools get an invoker as well; other tools (a server's, an agent) are refused.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import agents
from agents.run_config import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from becket import HookEngine, ToolApprovalCallback
from becket.adapters.conversation import Conversation, Refused


class BecketAgents(agents.RunHooks[Any]):
    """The hooks of an engine around the agents of one conversation."""

    def __init__(self, engine: HookEngine, tool_approval_callback: ToolApprovalCallback | None = None) -> None:
        self.hooks, self._args = Conversation(engine, tool_approval_callback), dict[str, dict[str, Any]]()

    def agent(self, agent: agents.Agent[Any]) -> agents.Agent[Any]:
        """Returns the same agent with guarded prompts and function tools."""
        prompt = agents.InputGuardrail(self._prompt, name="becket", run_in_parallel=False)
        tools = [self.tool(t) if isinstance(t, agents.FunctionTool) and not t._is_agent_tool else t for t in agent.tools]
        return agent.clone(tools=tools, input_guardrails=[prompt, *agent.input_guardrails])

    def tool(self, tool: agents.FunctionTool) -> agents.FunctionTool:
        """Returns the same tool, guarded. The tools of an agent that is a tool are not: give that agent to `agent` first."""
        if any(gate.guardrail_function == self._gate for gate in tool.tool_input_guardrails or []):
            return tool

        async def invoke(context: ToolContext[Any], _: str) -> Any:
            args = self._args.pop(context.tool_call_id)
            running = tool.on_invoke_tool(context, json.dumps(args))
            return await self.hooks.ran(tool.name, args, context.tool_call_id, running)

        gates = [*(tool.tool_input_guardrails or []), agents.ToolInputGuardrail[Any](self._gate, name="becket")]
        return dataclasses.replace(tool, on_invoke_tool=invoke, tool_input_guardrails=gates)

    async def run(self, agent: agents.Agent[Any], prompt: str, **config: Any) -> agents.RunResult:
        """Works on a prompt until the Stop hooks let it end. A refused prompt raises the SDK's tripwire."""
        options = agents.RunConfig(call_model_input_filter=self._request, **config)
        items: list[agents.TResponseInputItem] = [{"role": "user", "content": prompt}]
        guarded = self.agent(agent)
        while True:
            answer = await agents.Runner.run(guarded, items, hooks=self, run_config=options)
            if (feedback := await self.hooks.stop(str(answer.final_output))) is None:
                return answer
            guarded = guarded.clone(input_guardrails=agent.input_guardrails)
            items = [*answer.to_input_list(), {"role": "user", "content": feedback}]

    async def on_tool_start(self, context: Any, agent: Any, tool: agents.Tool) -> None:
        """A tool that has not passed the gate does not start."""
        if getattr(context, "tool_call_id", None) not in self._args:
            raise Refused(f"the tool `{tool.name}` passes no hooks: give it to `BecketAgents.tool` first")

    async def _prompt(self, context: Any, agent: Any, given: Any) -> agents.GuardrailFunctionOutput:
        try:
            await self.hooks.prompt(given if isinstance(given, str) else given[-1]["content"])
        except Refused as refused:
            return agents.GuardrailFunctionOutput(str(refused), tripwire_triggered=True)
        return agents.GuardrailFunctionOutput(None, tripwire_triggered=False)

    async def _gate(self, data: agents.ToolInputGuardrailData) -> agents.ToolGuardrailFunctionOutput:
        name, call_id, given = data.context.tool_name, data.context.tool_call_id, data.context.tool_arguments
        try:
            self._args[call_id] = await self.hooks.before(name, json.loads(given or "{}"), call_id)
        except (Refused, ValueError) as error:
            return agents.ToolGuardrailFunctionOutput.reject_content(str(error))
        return agents.ToolGuardrailFunctionOutput.allow()

    def _request(self, data: CallModelData[Any]) -> ModelInputData:
        items = self.hooks.told_in(data.model_data.input, lambda text: {"role": "user", "content": text})
        return ModelInputData(input=items, instructions=data.model_data.instructions)
