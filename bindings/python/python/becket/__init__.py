"""Becket: the hooks of AI agents, in the process of a Python agent.

    engine = HookEngine()

    @engine.hook("PreToolUse", matcher="Bash")
    def guard(input: PreToolUseInput) -> HookResult | None:
        if "rm -rf" in input.tool_input["command"]:
            return HookResult(permission_decision="deny", reason="not here")
        return None

    outcome = await engine.run_event("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t1")
"""

from becket import inputs
from becket._approval import ToolApproval, ToolApprovalCallback
from becket._exec import ExecDenial, ExecRefusal, ExecReport
from becket._person import Choice, Question
from becket._results import HookResult
from becket.barrier import ToolBarrier
from becket.config import HookConfig, load_hook_config_from_sources
from becket.engine import HookEngine
from becket.errors import (
    BarrierError,
    BecketError,
    ConfigError,
    EventError,
    ExecError,
    ForkedError,
    HandlerError,
    LoopError,
    RegistrationError,
    SessionClosed,
)
from becket.inputs import *  # noqa: F403
from becket.outcome import Outcome, Told

__all__ = [
    "BarrierError",
    "BecketError",
    "Choice",
    "ConfigError",
    "EventError",
    "ExecDenial",
    "ExecError",
    "ExecRefusal",
    "ExecReport",
    "ForkedError",
    "HandlerError",
    "HookConfig",
    "HookEngine",
    "HookResult",
    "LoopError",
    "Outcome",
    "Question",
    "RegistrationError",
    "SessionClosed",
    "Told",
    "ToolApproval",
    "ToolApprovalCallback",
    "ToolBarrier",
    "load_hook_config_from_sources",
]
__all__ += inputs.__all__
