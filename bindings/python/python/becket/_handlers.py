"""Functions as hooks: their names, their inputs, and their start."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from becket._around import Around, running_loop
from becket._calls import AsyncCall, SyncCall
from becket._input import HookInput, of_fields
from becket.errors import BecketError, HandlerError, RegistrationError, described
from becket.inputs import INPUTS

if TYPE_CHECKING:
    from becket._becket import Reply
    from becket._registry import Registry


class Handler:
    """A function that is registered for an event."""

    __slots__ = ("event", "function", "is_async", "kind", "place")

    def __init__(self, event: str, function: Callable[[Any], Any]) -> None:
        self.event = event
        self.function = function
        self.place = place(function)
        self.kind = INPUTS.get(event)
        self.is_async = is_async(function)
        _callable(function, self.place)

    def input(self, fields: dict[str, Any]) -> HookInput:
        """Returns the typed input, from a copy of the fields."""
        if self.kind is None:
            raise HandlerError(f"there is no event `{self.event}`")
        return of_fields(self.kind, fields)

    def begin(self, registry: Registry, fields: dict[str, Any], around: Around | None, reply: Reply) -> object:
        """Starts a call without waiting; returns a function that cancels it."""
        if not self.is_async:
            return SyncCall(self, fields, around, reply).begin(registry.abandoned)
        around = around or Around(None, None)
        loop = around.loop_for_handler(registry.home_loop())
        return AsyncCall(self, fields, around, reply).begin(around, loop, running_loop() is loop)


def beginning(registry: Registry, hook_id: str, handler: Handler) -> Callable[..., object]:
    """The engine's reference to a handler. It keeps neither the handler nor the engine's object alive."""
    held, where = weakref.ref(registry), handler.place

    def begin(fields: dict[str, Any], around: Around | None, reply: Reply) -> object:
        registry = held()
        handler = None if registry is None else registry.handlers.get(hook_id)
        if registry is None or handler is None:
            reply.fail(f"{where} is gone: its engine was collected, or the hook removed")
            return None
        try:
            return handler.begin(registry, fields, around, reply)
        except Exception as error:
            reply.fail(f"{where}: {error if isinstance(error, BecketError) else described(error)}")
            return None

    return begin


def place(function: Callable[..., Any]) -> str:
    """Returns the name of a function for people, and its place."""
    inner: Any = inspect.unwrap(_inner(function))
    kind: Any = inner.__class__
    name = getattr(inner, "__qualname__", kind.__qualname__)
    code: Any = getattr(inner, "__code__", None) or getattr(getattr(kind, "__call__", None), "__code__", None)
    return f"`{name}`" if code is None else f"`{name}` ({code.co_filename}:{code.co_firstlineno})"


def is_async(function: Callable[..., Any]) -> bool:
    """Returns whether calling it gives a coroutine."""
    function = _inner(function)
    own = getattr(function, "__call__", None)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(own)


def _inner(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = cast(Any, function).func
    return function


def _callable(function: Callable[..., Any], where: str) -> None:
    if not callable(function):
        raise RegistrationError(f"a value of type `{type(function).__name__}` can't be called: register a function")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise RegistrationError(f"{where} is a generator: nobody would run it; return the answer instead of `yield`")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # A builtin may not describe its arguments.
    try:
        signature.bind(None)
    except TypeError as error:
        raise RegistrationError(f"{where} can't be called with one input: {error}") from None
