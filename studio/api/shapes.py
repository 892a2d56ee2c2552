"""Bodies of requests. Unknown fields are refused; what the server decides is never read from a body."""

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class Body(Schema):
    model_config = ConfigDict(extra="forbid")


class NewSession(Body):
    """Either `agents`, the first of which is the entry agent if `entry` names no other, or a `workflow`.

    `context` goes with a workflow: values of the variables that it shares. `input`: a text, or an object where the
    entry agent has an `input_schema`.
    """

    agents: Annotated[list[Name], Field(min_length=1, max_length=20)] = []
    entry: Annotated[str, Field(max_length=64)] = ""
    workflow: Annotated[str, Field(max_length=64)] = ""
    title: str = ""
    input: str | dict[str, Any] = ""
    metadata: dict[str, Any] = {}
    context: dict[str, Any] = {}
    draft: bool = False


class SessionChange(Body):
    title: str | None = None
    archived: bool | None = None


class NewEvent(Body):
    type: Annotated[str, Field(max_length=64)]
    to: Annotated[str, Field(max_length=80)] = ""
    content: str = ""
    payload: dict[str, Any] = {}
    urgent: bool = False


class Control(Body):
    """`state` and `set` go with set_state, `limit` and `value` with raise_limit."""

    action: Annotated[str, Field(max_length=64)]
    reason: str = ""
    state: Annotated[str, Field(max_length=200)] | None = None
    set: dict[str, Any] | None = None
    limit: Annotated[str, Field(max_length=64)] | None = None
    value: float | None = None


class NewParticipant(Body):
    """Either a user, by id or name, or an agent, by name."""

    user: Annotated[str, Field(max_length=64)] | None = None
    agent: Annotated[str, Field(max_length=64)] | None = None


class NewShare(Body):
    """An author of the project, by id or name."""

    user: Annotated[str, Field(max_length=64)]


class SessionControl(Body):
    action: Annotated[str, Field(max_length=64)]
    reason: str = ""


class Verdict(Body):
    """`result` goes with happened; `args`, `args_sha256` (of what was shown) and `grant` go with approve."""

    verdict: Literal["approve", "deny", "run_again", "happened", "skip"]
    result: str = ""
    reason: str = ""
    args: dict[str, Any] | None = None
    args_sha256: Annotated[str, Field(max_length=64)] = ""
    grant: Annotated[str, Field(max_length=200)] = ""


class Publishing(Body):
    note: Annotated[str, Field(max_length=500)] = ""
