"""Becket and AGENT-HOOKS-0.1, the control contract of the package `agent-hooks-sdk`, in both directions.

* `BecketInterceptor` adds the hooks of an engine to any host that implements the contract.
* `guard` adds interceptors of the contract to an engine, as hooks among its other hooks.
* `Host` is the agent loop's side of the contract: the eight points of the contract, each decided by the engine's hooks and by the
  interceptors together.

What composes the verdicts of interceptors, asks the approval seam and writes records is the SDK's own emitter; nothing
of it is done again here. Install `becket[agent-hooks]` to have it.
"""

from becket.agent_hooks._guard import Guard, guard
from becket.agent_hooks._host import Blocked, Host
from becket.agent_hooks._interceptor import BecketInterceptor

__all__ = ["BecketInterceptor", "Blocked", "Guard", "Host", "guard"]
