"""OpenAI Agents SDK: `BecketAgents(engine)` gives an agent its guardrails, and runs it.

Function tools get a tool input guardrail, which denies, and an invoker that takes rewritten arguments, since a guardrail
can't rewrite; a prompt gets an input guardrail. The SDK has no point at which an agent that is done goes on, so `run` starts
it again with what a Stop hook says. Tools that the provider runs (web search, code) never come here, and so pass no hook.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from agents import Agent, FunctionTool, GuardrailFunctionOutput, InputGuardrail, RunConfig, Runner, RunResult
from agents import ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolInputGuardrailData
from agents.run_config import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from becket import HookEngine
from becket.adapters.conversation import Conversation, Refused


class BecketAgents:
    """The hooks of an engine around the agents of one conversation."""

    def __init__(self, engine: HookEngine) -> None:
        self.hooks, self._args = Conversation(engine), dict[str, dict[str, Any]]()
        self._told: list[tuple[int, Any]] = []

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """The same agent, its prompts and function tools guarded."""
        prompt = InputGuardrail(self._prompt, name="becket", run_in_parallel=False)
        tools = [self.tool(tool) if isinstance(tool, FunctionTool) else tool for tool in agent.tools]
        return agent.clone(tools=tools, input_guardrails=[prompt, *agent.input_guardrails])

    def tool(self, tool: FunctionTool) -> FunctionTool:
        """The same tool, guarded."""

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            args = self._args.pop(context.tool_call_id)
            told = (tool.name, args, context.tool_call_id)
            try:
                result = await tool.on_invoke_tool(context, json.dumps(args))
            except Exception as error:
                await self.hooks.failed(*told, error)
                raise
            return await self.hooks.after(*told, result)

        gate = ToolInputGuardrail(self._gate, name="becket")
        return dataclasses.replace(tool, on_invoke_tool=invoke, tool_input_guardrails=[*(tool.tool_input_guardrails or []), gate])

    async def run(self, agent: Agent[Any], prompt: str, config: RunConfig | None = None) -> RunResult:
        """Works on a prompt until the Stop hooks let it end. A refused one raises the SDK's tripwire."""
        if config is not None and config.call_model_input_filter is not None:
            raise ValueError("`call_model_input_filter` is where the hooks' context goes in: leave it unset")
        config = dataclasses.replace(config or RunConfig(), call_model_input_filter=self._request)
        self._told, items = [], [{"role": "user", "content": prompt}]
        guarded = self.agent(agent)
        while True:
            answer = await Runner.run(guarded, items, run_config=config)
            feedback = await self.hooks.stop(str(answer.final_output))
            if feedback is None:
                return answer
            guarded = guarded.clone(input_guardrails=agent.input_guardrails)
            items = [*answer.to_input_list(), {"role": "user", "content": feedback}]

    async def _prompt(self, context: Any, agent: Agent[Any], given: Any) -> GuardrailFunctionOutput:
        try:
            await self.hooks.prompt(given if isinstance(given, str) else given[-1]["content"])
        except Refused as refused:
            return GuardrailFunctionOutput(output_info=str(refused), tripwire_triggered=True)
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)

    async def _gate(self, data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        call, call_id = data.context, data.context.tool_call_id
        try:
            given = json.loads(call.tool_arguments or "{}")
            self._args[call_id] = await self.hooks.before(call.tool_name, given, call_id)
        except (Refused, ValueError) as error:
            return ToolGuardrailFunctionOutput.reject_content(str(error))
        return ToolGuardrailFunctionOutput.allow()

    def _request(self, data: CallModelData[Any]) -> ModelInputData:
        """Puts in what hooks have to tell, where it has been told before and at the end."""
        items = list(data.model_data.input)
        self._told += [(len(items), {"role": "user", "content": text}) for text in self.hooks.told()]
        for done, (at, item) in enumerate(self._told):
            items.insert(at + done, item)
        return ModelInputData(input=items, instructions=data.model_data.instructions)
