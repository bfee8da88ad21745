"""Both directions of AGENT-HOOKS-0.1: `python interceptor.py`."""

import asyncio

from agent_hooks import AgentContext, AgentContextBuilder, InterceptionBlocked, InterceptionEmitter, Verdict

from becket import HookEngine, HookResult, PreToolUseInput
from becket.agent_hooks import BecketInterceptor, guard


def no_force(call: PreToolUseInput) -> HookResult | None:
    if "--force" in call.tool_input["command"]:
        return HookResult(permission_decision="deny", reason="nothing is pushed by force")
    return None


class NoSecrets:
    """An interceptor that knows nothing of Becket."""

    def intercept(self, context: AgentContext) -> Verdict:
        if "secret" in str(context["target"]):
            return Verdict.deny(reason="policy:secret", message="that is a secret")
        return Verdict.allow()


async def in_another_host() -> None:
    """Becket's hooks guard a host that speaks the contract."""
    async with HookEngine() as engine:
        engine.add_hook("PreToolUse", no_force)
        emitter = InterceptionEmitter().register(BecketInterceptor(engine))
        points = AgentContextBuilder(agent_id="a", framework="some-host", session_id="s1")
        call = points.pre_tool_call(call_id="t1", name="shell", args={"command": "git push --force"})
        try:
            await emitter.emit(call)
        except InterceptionBlocked as blocked:
            print(f"the host was told: {blocked.result.verdict.message}")


async def in_a_becket_host() -> None:
    """An interceptor of the contract guards a host that fires Becket's events."""
    async with HookEngine() as engine:
        guard(engine, InterceptionEmitter().register(NoSecrets()))
        call = {"tool_name": "shell", "tool_input": {"command": "cat secret.txt"}, "tool_use_id": "t1"}
        outcome = await engine.run_event("PreToolUse", **call)
        print(f"the outcome: {outcome.result}, {outcome.reason}")


asyncio.run(in_another_host())
asyncio.run(in_a_becket_host())
