"""A complete loop of your own: a model that is a function, tools that are functions, and the hooks at their places.

Use it as it is or as a template: what matters is where it calls `Conversation`, and that the model learns why a call
did not run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from becket.adapters.conversation import Conversation, Refused, Stopped

#: `role`, `content`; an assistant's may have `tool_calls`, each with `id`, `name` and `args`.
Message = dict[str, Any]
Model = Callable[[list[Message]], Awaitable[Message]]
Tool = Callable[..., Awaitable[Any]]


async def turn(
    hooks: Conversation, model: Model, tools: dict[str, Tool], messages: list[Message], prompt: str
) -> str:
    """Works on a prompt until the model has answered and the Stop hooks let it; returns the text for the user.

    `messages` is the conversation so far and is added to. A refused prompt does not enter it.
    """
    try:
        await hooks.prompt(prompt)
    except Refused as refused:
        return str(refused)
    messages.append({"role": "user", "content": prompt})
    while True:
        try:
            messages += [{"role": "user", "content": text} for text in hooks.told()]
        except Stopped as stopped:
            return str(stopped)
        answer = await model(messages)
        messages.append(answer)
        if calls := answer.get("tool_calls"):
            messages += [await _result(hooks, tools, call) for call in calls]
            continue
        feedback = await hooks.stop(str(answer["content"]))
        if feedback is None:
            return str(answer["content"])
        messages.append({"role": "user", "content": feedback})


async def _result(hooks: Conversation, tools: dict[str, Tool], call: dict[str, Any]) -> Message:
    """Returns the result of one call, as the model reads it."""

    async def run(args: dict[str, Any]) -> Any:
        return await tools[call["name"]](**args)

    try:
        content = str(await hooks.tool(call["name"], call["args"], call["id"], run))
    except Refused as refused:
        content = f"denied: {refused}"
    except Exception as error:
        content = f"failed: {error}"
    return {"role": "tool", "tool_call_id": call["id"], "content": content}
