"""The kit's harness over `becket.agent_hooks.Host`: the loop and its mocks are the test's, every point the host's."""

from __future__ import annotations

import shutil
import tempfile
from typing import Any

from agent_hooks import (
    ApprovalResolver,
    CompositionConfig,
    EnforcementMode,
    HostRegistry,
    HostSurface,
    IdentityProvider,
    InterceptionEmitter,
    Interceptor,
)
from agent_hooks.ctk import Capability, RunOutcome, RunRecord, Scenario
from agent_hooks.ctk.scripted import redact_paths

from becket import HookEngine
from becket.agent_hooks import Blocked, Host

MODEL = "scripted"


class BecketHarness:
    """One vector: an engine with no settings of its own, and the interceptors in it as hooks."""

    name = "becket"
    capabilities: set[Capability] = {
        Capability.MODEL_CALLS,
        Capability.TOOL_CALLS,
        Capability.INT64_JSON,
        Capability.BIGINT_JSON,
        Capability.HOST_DECLARATION,
    }
    tool_seam_host_error = "continue"

    def host_surface(self) -> HostSurface:
        capabilities = sorted(capability.value for capability in self.capabilities)
        return HostSurface.from_capabilities(capabilities, self.tool_seam_host_error)

    def declaration(self) -> dict[str, Any] | None:
        return None

    def setup(
        self,
        scenario: Scenario,
        interceptors: list[Interceptor],
        resolver: ApprovalResolver | None,
        mode: EnforcementMode,
        composition: CompositionConfig,
        identity_provider: str | None,
        redact_for_approval: list[str] | None = None,
    ) -> None:
        provider = IdentityProvider("ctk-fault", _fails) if identity_provider == "ctk-fault" else identity_provider
        emitter = InterceptionEmitter(
            mode=mode, resolver=resolver, composition=composition, identity_provider=provider
        )
        for interceptor in interceptors:
            emitter.register(interceptor)
        if redact_for_approval:
            emitter.set_approval_redactor(lambda context: redact_paths(context, redact_for_approval))
        self._start(scenario, emitter)

    def setup_declared(self, scenario: Scenario, document: dict[str, Any], registry: HostRegistry) -> None:
        self._start(scenario, InterceptionEmitter.from_declaration_value(document, registry))

    def _start(self, scenario: Scenario, emitter: InterceptionEmitter) -> None:
        self._scenario, self._emitter = scenario, emitter
        self._home = tempfile.mkdtemp(prefix="becket-ctk-")
        self._engine = HookEngine(self._home)
        self._host = Host(self._engine, emitter, agent_id="ctk")
        self._ran: list[dict[str, Any]] = []

    async def run(self) -> RunRecord:
        outcome, final = RunOutcome.COMPLETED, None
        try:
            final = await self._turn()
        except Blocked:
            outcome = RunOutcome.BLOCKED
        await self._host.agent_shutdown("completed" if outcome is RunOutcome.COMPLETED else "error")
        return RunRecord(
            outcome=outcome,
            final_output=final,
            tool_invocations=self._ran,
            identities=[(record.input_identity, record.enforced_identity) for record in self._emitter.results],
            records=[record.to_wire() for record in self._emitter.results],
        )

    def teardown(self) -> None:
        if hasattr(self, "_engine"):
            self._engine.close()
            shutil.rmtree(self._home, ignore_errors=True)

    async def _turn(self) -> Any:
        host, scenario = self._host, self._scenario
        await host.agent_startup(sorted(scenario.tools))
        content = await host.input(scenario.input["content"], scenario.input["role"])
        messages = [{"role": scenario.input["role"], "content": content}]
        for scripted in scenario.model_script:
            messages = await host.pre_model_call(MODEL, messages)
            answer = {name: getattr(scripted, name) for name in ("content", "tool_calls", "finish_reason")}
            answer = await host.post_model_call(MODEL, answer)
            if not answer["tool_calls"]:
                return await host.output(answer["content"])
            messages.append({"role": "assistant", "content": answer["content"] or ""})
            messages += [await self._tool(call) for call in answer["tool_calls"]]
        return None

    async def _tool(self, call: dict[str, Any]) -> dict[str, Any]:
        """Runs one call; the model gets the reason of a block as its result."""
        try:
            args = await self._host.pre_tool_call(call["id"], call["name"], call["args"])
            value, is_error = self._scenario.tools[call["name"]].invoke(args)
            self._ran.append({"name": call["name"], "args": args})
            value = await self._host.post_tool_call(call["id"], call["name"], args, value, is_error=is_error)
        except Blocked as blocked:
            value = f"blocked: {blocked.record.verdict.reason if blocked.record else blocked.reason}"
        return {"role": "tool", "content": value}


def _fails(_: dict[str, Any]) -> str:
    raise RuntimeError("a provider that fails")
