"""`runtime.md`, section 3: the table of event types, a row at a time."""

import pytest

from runtime.domain.events import (
    TYPES,
    AbortWhy,
    AgentInput,
    AgentInterruptReceived,
    ApprovalDecision,
    ExternalTrigger,
    MemoryRecalled,
    Payload,
    ResultStatus,
    SupervisorInstruction,
    ThoughtKind,
    TimerTrigger,
    ToolResult,
    UserInput,
    UserInterrupt,
    Verdict,
)
from runtime.domain.events.inputs import RecalledEntry
from runtime.domain.tool import Access
from tests.builders import tool
from tests.payloads import built

ELSEWHERE = {
    "agent.input: if it closes a call it counts as that call's result": (
        "tests/engine/test_children.py::test_invoke_waits_for_the_answer_of_a_rollout_of_its_own"
    ),
    "tool.result: wakes the model … for an asynchronous call": (
        "tests/engine/test_async_calls.py::test_the_model_is_told_that_it_runs_and_goes_on"
    ),
    "tool.result: not if late": (
        "tests/engine/test_control.py::test_a_result_that_comes_after_the_stop_is_recorded_as_late"
    ),
    "approval.decision: it releases exactly that call, with no model call in between": (
        "tests/engine/test_approvals.py::test_on_approval_exactly_that_call_runs_with_no_model_call_in_between"
    ),
    "supervisor.instruction: no if sent for when the step ends": (
        "tests/web/test_live.py::test_an_instruction_goes_now_or_when_the_step_ends"
    ),
    "timer.trigger: yes if so set": (
        "tests/engine/test_timers.py::test_an_urgent_timer_cuts_the_answer_and_another_waits_its_turn"
    ),
    "The first four categories are the agent's memory; lifecycle events are the framework's record": (
        "tests/domain/test_apply.py::test_lifecycle_events_are_records_and_the_others_are_ticks"
    ),
}

INPUT = (
    "user.input", "agent.input", "tool.result", "external.trigger", "approval.decision", "memory.recalled",
)  # fmt: skip
INTERRUPT = ("supervisor.instruction", "user.interrupt", "agent.interrupt.received", "timer.trigger")
THINKING = ("agent.thought",)
ACTION = (
    "agent.output", "tool.request", "approval.request", "state.update", "agent.invocation", "agent.response",
    "agent.message", "agent.interrupt", "agent.escalation", "timer.set", "timer.cancel",
)  # fmt: skip
LIFECYCLE = (
    "rollout.started", "rollout.paused", "rollout.resumed", "rollout.moved", "rollout.completed", "rollout.failed",
    "rollout.cancelled", "step.started", "step.completed", "step.aborted", "tool.started", "limit.reached",
    "context.compacted",
)  # fmt: skip
CATEGORIES = {"input": INPUT, "interrupt": INTERRUPT, "thinking": THINKING, "action": ACTION, "lifecycle": LIFECYCLE}
ROWS = [(type_, category) for category, types in CATEGORIES.items() for type_ in types]

FIELDS = {
    "user.input": "content form to",
    "agent.input": "content from_rollout call_id final",
    "tool.result": "call_id status content attempts ms late",
    "external.trigger": "trigger body key",
    "approval.decision": "call_id verdict args_sha256 edited_args by reason grant",
    "memory.recalled": "owner entries",
    "supervisor.instruction": "content by",
    "user.interrupt": "content call_id respond",
    "agent.interrupt.received": "content from_rollout",
    "timer.trigger": "timer_id note due_at missed",
    "agent.thought": "content kind",
    "agent.output": "content to interrupted",
    "tool.request": "call_id tool args args_raw mode",
    "approval.request": "call_id args_sha256 why approvers expires_at",
    "state.update": "call_id from_state to_state set reason accepted error",
    "agent.invocation": "call_id agent agent_version task context child_rollout mode",
    "agent.response": "call_id to_rollout content",
    "agent.message": "call_id to_rollout content",
    "agent.interrupt": "call_id to_rollout content",
    "agent.escalation": "call_id reason severity question deadline",
    "timer.set": "call_id timer_id due_at note urgent",
    "timer.cancel": "call_id timer_id",
    "rollout.started": "by agent_version tools_sha256 origin",
    "rollout.paused": "by reason",
    "rollout.resumed": "by reason origin",
    "rollout.moved": "by agent_version",
    "rollout.completed": "by reason",
    "rollout.failed": "error",
    "rollout.cancelled": "by reason",
    "step.started": "attempt model seen prompt_sha256 renderer",
    "step.completed": "tokens_in tokens_out tokens_cached tokens_reasoning cost_usd ms ms_to_first_token finish_reason "
    "opaque",
    "step.aborted": "why retryable retry_at tokens_in tokens_out",
    "tool.started": "call_id attempt",
    "limit.reached": "what limit used",
    "context.compacted": "from_seq to_seq summary_seq",
}

WORDS = [
    (ResultStatus, "ok error denied cancelled timed_out unknown limit"),
    (Verdict, "approve deny run_again happened skip"),
    (ThoughtKind, "reasoning plan summary note"),
    (AbortWhy, "urgent error restart"),
]

URGENT: list[Payload] = [
    UserInput(content="now", now=True),
    ExternalTrigger(trigger="order.lost", urgent=True),
    SupervisorInstruction(content="stop that"),
    UserInterrupt(),
    UserInterrupt(content="in Dutch"),
    UserInterrupt(call_id="0.0"),
    AgentInterruptReceived(content="stop that"),
    TimerTrigger(timer_id="0.0", urgent=True),
]
NOT_URGENT: list[Payload] = [
    UserInput(content="later"),
    AgentInput(content="found it"),
    ToolResult(call_id="0.0"),
    ExternalTrigger(trigger="order.shipped"),
    ApprovalDecision(call_id="0.0", verdict="approve"),
    MemoryRecalled(owner="u_mia"),
    SupervisorInstruction(content="when you can", queued=True),
    TimerTrigger(timer_id="0.0"),
    *(built(type_) for type_ in (*THINKING, *ACTION)),
    *(built(type_) for type_ in LIFECYCLE if type_ != "rollout.cancelled"),
]
ANSWERED: list[Payload] = [
    UserInput(content="hello"),
    AgentInput(content="found it"),
    ExternalTrigger(trigger="order.shipped"),
    SupervisorInstruction(content="be brief"),
    SupervisorInstruction(content="be brief", queued=True),
    UserInterrupt(content="in Dutch"),
    AgentInterruptReceived(content="stop that"),
    TimerTrigger(timer_id="0.0", note="look again"),
]
UNANSWERED: list[Payload] = [
    ApprovalDecision(call_id="0.0", verdict="approve"),
    ToolResult(call_id="0.0", content="in the end", late=True),
    MemoryRecalled(owner="user:maya", entries=(RecalledEntry(key="diet", version=1, sha256="0" * 64),)),
]


def by_type(payload: Payload) -> str:
    return payload.type


def test_the_table_has_a_row_for_every_type():
    """| category | type | payload (main fields) | urgent | wakes the model |"""
    assert {type_ for type_, _ in ROWS} == TYPES.keys() == FIELDS.keys()


@pytest.mark.parametrize(("type_", "category"), ROWS)
def test_the_category_follows_from_the_type(type_, category):
    """`category` and default urgency follow from the type."""
    assert TYPES[type_].category == category


@pytest.mark.parametrize("type_", FIELDS)
def test_the_payload_has_its_main_fields(type_):
    """| payload (main fields) |"""
    assert set(FIELDS[type_].split()) <= TYPES[type_].model_fields.keys()


@pytest.mark.parametrize(("field", "words"), WORDS)
def test_a_field_of_few_words_has_these(field, words):
    """status (ok, error, …), verdict (approve, deny, …), kind (reasoning, plan, …), why (urgent, error, restart)"""
    assert [word.value for word in field] == words.split()


def test_recalled_memory_is_named_by_key_version_and_hash():
    """owner, entries (key, version, sha256) put into the prompt"""
    assert {"key", "version", "sha256"} < RecalledEntry.model_fields.keys()
    assert "value" not in RecalledEntry.model_fields


@pytest.mark.parametrize("payload", URGENT, ids=by_type)
def test_these_are_urgent(payload):
    """| urgent |: yes, yes if so set, as marked"""
    assert payload.is_urgent


@pytest.mark.parametrize("payload", NOT_URGENT, ids=by_type)
def test_these_are_not_urgent_unless_so_set(payload):
    """| urgent |: no, –"""
    assert not payload.is_urgent


def test_an_approval_decision_is_immediate():
    """| `approval.decision` | … | immediate |"""
    assert TYPES["approval.decision"].is_immediate


@pytest.mark.parametrize("payload", ANSWERED, ids=by_type)
async def test_these_wake_the_model(rollout, model, payload):
    """| wakes the model |: yes"""
    await rollout.receive(payload)

    assert len(model.requests) == 1
    assert rollout.lifecycle == "waiting (input)"


@pytest.mark.parametrize("payload", UNANSWERED, ids=by_type)
async def test_these_are_recorded_and_do_not_wake_the_model(rollout, model, payload):
    """| wakes the model |: no"""
    await rollout.receive(payload)

    assert rollout.types() == ["rollout.started", payload.type]
    assert model.requests == []


@pytest.mark.parametrize("type_", [*THINKING, *ACTION, *LIFECYCLE])
def test_what_the_agent_and_the_framework_do_wakes_nobody(type_):
    """| wakes the model |: –"""
    assert not built(type_).wakes


async def test_a_tool_result_wakes_the_model_when_it_completes_its_batch(start, model):
    """| `tool.result` | … | when it completes its batch |"""
    quick, slow = tool("quick"), tool("slow", access=Access.WRITE)
    rollout = await start(quick, slow)
    asked = []
    slow.answer = lambda args, context: asked.append((len(model.requests), rollout.types().count("tool.result")))
    model.calls(("quick", {}), ("slow", {}))

    await rollout.receive(UserInput(content="go"))

    assert asked == [(1, 1)]
    assert len(model.requests) == 2


async def test_lifecycle_events_are_never_shown_to_the_model(start, model):
    """lifecycle events are the framework's record and are never shown to the model."""
    rollout = await start(tool("pay", access=Access.WRITE))
    model.calls(("pay", {}))
    await rollout.receive(built("rollout.paused").model_copy(update={"by": "Priya", "reason": "lunch"}))
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(built("rollout.resumed").model_copy(update={"by": "Priya", "reason": "resume"}))

    shown = str([request.messages for request in model.requests])
    records = [event.type for event in rollout.trajectory() if event.category == "lifecycle"]
    assert {"rollout.paused", "rollout.resumed", "step.started", "step.completed", "tool.started"} <= set(records)
    assert not [word for word in (*records, "Priya", "lunch") if word in shown]
