"""The rules of one tool in the form: when a person is asked first, how it runs, and what happens when it fails."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from runtime.domain.agent_file import AgentFile
from runtime.domain.tool_policy import NEVER
from runtime.domain.yaml_node import Node, ScalarNode, child
from runtime.tools.registry import Registry
from studio.web.editor_form import Control, Field, field_at, parsed

ASKED_FIRST = (
    ("", "Never"),
    ("when", "When\N{HORIZONTAL ELLIPSIS}"),
    ("always", "Always"),
    ("once", "Once in a session"),
)
ASKED_WORDS = frozenset({"never", "always", "once"})
YES_NO = (("", "As the tool says"), ("true", "Yes"), ("false", "No"))
INTERRUPTS = (("", "As the tool says"), ("cancel", "It stops"), ("finish", "It runs to its end"))

ASKING = (
    Control("approval", "Ask a person first", "choice", choices=ASKED_FIRST),
    Control(
        "condition", "When", "exact", "args is what the agent asks for: such as args.amount > 50.", "args.amount > 100"
    ),
    Control("approvers", "Who may decide", "list", "Roles or names.", "everybody in the session"),
    Control("approvals_needed", "How many must approve", "number", shown="1"),
    Control(
        "self_approval", "Who asked may approve", "choice", choices=(("", "Yes"), ("false", "No")), explicit="true"
    ),
    Control("approval_expires.after", "Waits at most", help="Such as 30m, 24h or 7d.", shown="7d"),
    Control(
        "approval_expires.then",
        "Then",
        "choice",
        choices=(("", "It is denied"), ("escalate", "Supervisors are asked, then denied")),
        explicit="deny",
    ),
)
RUNNING = (
    Control(
        "mode",
        "The agent",
        "choice",
        choices=(("", "Waits for the answer"), ("async", "Goes on meanwhile")),
        explicit="sync",
    ),
    Control("on_interrupt", "When it is interrupted", "choice", choices=INTERRUPTS),
    Control("idempotent", "Safe to repeat", "choice", choices=YES_NO),
    Control("fallback", "If it fails, use", "exact", shown="nothing"),
    Control("rollback", "To undo it, use", "exact", shown="nothing"),
)
POLICY = {control.path: control for control in (*ASKING, *RUNNING)}
_DEFAULTS: dict[str, object] = {"approvals_needed": 1}


def policy_fields(index: int, settings: Node | None, file: AgentFile, *, usually: str) -> list[list[Field]]:
    """The fields about asking, then those about running. `settings` is the mapping that holds the tool's policy.

    `usually`: when a person is asked where the text does not say.
    """
    return [
        [_field(control, index, settings, file, usually=usually) for control in controls]
        for controls in (ASKING, RUNNING)
    ]


def policy_word(settings: Node | None, *, usually: str) -> str:
    """When a person is asked, in a word or two."""
    asked = _approval(settings, usually)
    return {"": "", "always": "asks first", "once": "asks once"}.get(asked, "asks when")


def policy_value(key: str, typed: str, *, tool: str, now: Mapping[str, Any], registry: Registry) -> object:
    """The value of a policy field as it goes into the text; None removes it. Raises NotANumber.

    Choosing "When" begins with a condition that always holds, or that looks at the tool's first number.
    """
    typed = typed.strip()
    match key:
        case "approval" if typed == "when":
            current = now.get("approval")
            return (
                current if isinstance(current, str) and current not in ASKED_WORDS else _first_condition(tool, registry)
            )
        case "approval" if typed == "" and usually_asked(tool, registry) != NEVER:
            return NEVER
        case "self_approval" | "idempotent":
            return None if typed == "" else typed == "true"
        case _:
            value = parsed(POLICY[key], typed)
            return None if key in _DEFAULTS and value == _DEFAULTS[key] else value


def usually_asked(tool: str, registry: Registry) -> str:
    """When a person is asked before a tool, where an agent file does not say; a group counts as never."""
    return registry.tool(tool).spec.approval.when if tool in registry.names else NEVER


def _first_condition(tool: str, registry: Registry) -> str:
    schema = registry.tool(tool).spec.schema if tool in registry.names else {}
    numbers = [name for name, part in schema.get("properties", {}).items() if part.get("type") in ("number", "integer")]
    return f"args.{numbers[0]} > 0" if numbers else "true"


def _approval(settings: Node | None, usually: str) -> str:
    node = child(settings, "approval") if settings is not None else None
    word = node.text if isinstance(node, ScalarNode) else usually
    return "" if word == NEVER else word


def _field(control: Control, index: int, settings: Node | None, file: AgentFile, *, usually: str) -> Field:
    asked = _approval(settings, usually)
    is_condition = asked not in ASKED_WORDS | {""}
    key, node = _place(control.path, settings)
    if control.path == "condition" and not is_condition:
        node = None
    field = field_at(
        control,
        file,
        node=node,
        path=f"tools.{index}.{key}",
        posted=f"tool:{index}:{control.path}",
        key=f"t{index}-{control.path}",
        hidden=not (is_condition if control.path == "condition" else asked) and control in ASKING[1:],
    )
    if control.path != "approval":
        return field
    return replace(field, value="when" if is_condition else asked, problem=None if is_condition else field.problem)


def _place(path: str, settings: Node | None) -> tuple[str, Node | None]:
    """The key under which problems name the field, and its node; a bare expiry is its `after`."""
    if path == "condition":
        return "approval", _under(settings, "approval")
    first, _, rest = path.partition(".")
    node = _under(settings, first)
    if not rest:
        return path, node
    if isinstance(node, ScalarNode):
        return first, node if rest == "after" else None
    return path, _under(node, rest)


def _under(node: Node | None, key: str) -> Node | None:
    return child(node, key) if node is not None else None
