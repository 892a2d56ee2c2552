"""How a tool is declared: a decorator over an async function."""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from pydantic import BaseModel, ValidationError

from runtime.domain.tool import DEFAULT_TIMEOUT_SECONDS, NEVER_ASKED, Access, ApprovalPolicy, Label, ToolSpec
from runtime.ports import ToolContext, ToolFailed
from runtime.tools.docstring import read_docstring
from runtime.tools.parameters import Parameters
from runtime.tools.services import ToolServices

type Result = str | Mapping[str, Any] | Sequence[Any]
type ToolFunction = Callable[..., Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A tool made of an async function; fulfils `runtime.ports.Tool`.

    `group` is the name under which an agent file can grant it together with others.
    `settings` is the pydantic model of what an agent file may set for it, or None. `source` is empty: it comes from
    nowhere else.
    """

    spec: ToolSpec
    group: str
    module: str
    settings: type[BaseModel] | None
    function: ToolFunction
    parameters: Parameters
    services_name: str
    services: ToolServices | None = None
    source: tuple[str, str] = ("", "")
    original: str = ""

    def serving(self, services: ToolServices) -> "FunctionTool":
        """This tool with the installation's services."""
        return replace(self, services=services)

    def under(self, spec: ToolSpec) -> "FunctionTool":
        """This tool with another spec: the policy of an agent file laid over the declaration."""
        return replace(self, spec=spec)

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        """The function's result as text. Raises ToolFailed."""
        try:
            values = self.parameters.values(args)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ToolFailed(f"the argument `{where}` is not right: {first['msg']}", retryable=False) from error
        if self.services_name:
            assert self.services is not None, f"{self.spec.name} runs only out of a registry, which has its services"
            values[self.services_name] = self.services
        return _as_text(await self.function(context, **values))


def tool(
    name: str | None = None,
    *,
    access: Access = Access.READ,
    idempotent: bool = False,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    retries: int = 0,
    labels: frozenset[Label] = frozenset(),
    group: str = "",
    settings: type[BaseModel] | None = None,
    framework: bool = False,
    approval: str = NEVER_ASKED.when,
    title: str = "",
    question: str = "",
) -> Callable[[ToolFunction], FunctionTool]:
    """Declare `async def f(context: ToolContext, …) -> str | dict | list` as a tool.

    The schema comes from the type hints, the description from the docstring's first paragraph, the words of
    each parameter from its `Args:`. A parameter of type ToolServices is given by the registry, not by the model.
    `approval`: when a person is asked first, unless the agent file says something else.
    `title` and `question` are for people, such as "Delete a file" and "Delete {path}?"; see `ToolSpec`.
    """

    def declare(function: ToolFunction) -> FunctionTool:
        words = read_docstring(function.__doc__ or "")
        assert words.description, f"the tool {function.__name__} needs a docstring: the model reads it"
        given = _given_by_the_framework(function)
        parameters = Parameters(function, skip=frozenset(given), described=words.parameters)
        spec = ToolSpec(
            name=name or function.__name__,
            description=words.description,
            schema=parameters.schema,
            access=access,
            idempotent=idempotent,
            timeout_seconds=timeout_seconds,
            retries=retries,
            labels=labels,
            framework=framework,
            approval=ApprovalPolicy(when=approval),
            title=title,
            question=question,
        )
        return FunctionTool(
            spec=spec,
            group=group,
            module=function.__module__,
            settings=settings,
            function=function,
            parameters=parameters,
            services_name=next((name for name, hint in given.items() if hint is ToolServices), ""),
        )

    return declare


def _given_by_the_framework(function: ToolFunction) -> dict[str, Any]:
    """The context, which stands first, and the services if asked for."""
    assert inspect.iscoroutinefunction(function), f"the tool {function.__name__} must be an async function"
    hints = get_type_hints(function)
    names = list(inspect.signature(function).parameters)
    assert names[:1] == ["context"], f"{function.__name__} takes `context: ToolContext` first"
    return {name: hints[name] for name in names if hints.get(name) in (ToolContext, ToolServices)}


def _as_text(result: Result) -> str:
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
