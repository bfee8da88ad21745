"""Becket and AGENT-HOOKS-0.1, the control contract of the package `agent-hooks-sdk`, in both directions.

* `BecketInterceptor` puts the hooks of an engine into any host that speaks the contract.
* `guard` puts the interceptors of the contract into an engine, as hooks among its other hooks.
* `Host` is an agent loop's side of it: the eight points of the contract, each decided by the engine's hooks and by the
  interceptors together.

What composes the verdicts of interceptors, asks the approval seam and writes records is the SDK's own emitter; nothing
of it is done again here. Install `becket[agent-hooks]` to have it.
"""

from becket.agent_hooks._guard import Guard, guard
from becket.agent_hooks._host import Blocked, Host
from becket.agent_hooks._interceptor import BecketInterceptor

__all__ = ["BecketInterceptor", "Blocked", "Guard", "Host", "guard"]
