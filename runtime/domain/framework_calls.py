"""What the framework itself answers: timers, notes, messages, sub-agents, questions to people. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runtime.domain.agent import CANCEL_CALL, UPDATE_PLAN, UPDATE_STATE, is_framework_call
from runtime.domain.delegation import interrupt, invoke, message, respond
from runtime.domain.events import (
    AgentEscalation,
    AgentOutput,
    AgentThought,
    RolloutPaused,
    ThoughtKind,
    TimerCancel,
    TimerSet,
    ToolRequest,
)
from runtime.domain.judging import Judged, Judging, answered, refused
from runtime.domain.memory_calls import forget, recall, remember, search
from runtime.domain.moves import moved_by
from runtime.domain.plan import planned_by
from runtime.domain.recurrence import TimeProblem, timer_due

Handler = Callable[[ToolRequest, Judging], Judged]

MAX_TIMERS = 100
RUN_LIKE_TOOLS = frozenset({"load_skill", "read_artifact"})


def is_answered_here(tool: str) -> bool:
    """Whether `judged_here` takes it; the rest of the framework's calls are run like tools."""
    return is_framework_call(tool) and tool not in RUN_LIKE_TOOLS


def judged_here(request: ToolRequest, judging: Judging) -> Judged:
    """What is recorded of a call of the framework whose arguments are right."""
    handler = _HANDLERS.get(request.tool, invoke)
    return handler(request, judging)


def _own(request: ToolRequest, result: str = "") -> dict[str, Any]:
    """What every event that is itself a call has of its request."""
    return {"call_id": request.call_id, "tool": request.tool, "args": request.args, "result": result}


def _set_timer(request: ToolRequest, judging: Judging) -> Judged:
    args = request.args or {}
    zone = str(args.get("timezone") or "UTC")
    if len(judging.state.dealings.timers) >= MAX_TIMERS:
        return refused(request, f"{MAX_TIMERS} timers are set already. Cancel one first.")
    try:
        due_at = timer_due(args, judging.at)
    except TimeProblem as wrong:
        return refused(request, f"the timer is not set: {wrong}.")
    timer = TimerSet(
        **_own(request, f"The timer {request.call_id} is set."),
        timer_id=request.call_id,
        due_at=due_at,
        note=str(args.get("note") or ""),
        urgent=bool(args.get("urgent")),
        every=str(args.get("every") or ""),
        zone=zone if args.get("every") else "",
    )
    return Judged(timer)


def _cancel_timer(request: ToolRequest, judging: Judging) -> Judged:
    timer_id = str((request.args or {}).get("timer_id"))
    notes = {timer.id: timer.note for timer in judging.state.dealings.timers}
    if timer_id not in notes:
        return refused(request, f"there is no timer {timer_id[:60]}. Your timers: {', '.join(notes) or 'none'}.")
    return Judged(TimerCancel(**_own(request, "The timer is cancelled."), timer_id=timer_id, note=notes[timer_id]))


def _escalate(request: ToolRequest, judging: Judging) -> Judged:
    args = request.args or {}
    seconds = args.get("deadline_seconds")
    asked = AgentEscalation(
        **_own(request, "The supervisors are told. An answer comes as an instruction; until then go on, or wait."),
        reason=str(args.get("reason") or ""),
        severity=args.get("severity") or "normal",
        question=str(args.get("question") or ""),
        deadline=judging.at + int(seconds * 1e6) if seconds else 0,
        then=args.get("then") or "continue",
    )
    return Judged(asked)


def _note(request: ToolRequest, judging: Judging) -> Judged:
    content = str((request.args or {}).get("content") or "")
    shown = judging.agent.show_thoughts
    return Judged(AgentThought(**_own(request, "Noted."), content=content, kind=ThoughtKind.NOTE, shown=shown))


def _pause(request: ToolRequest, judging: Judging) -> Judged:
    reason = str((request.args or {}).get("reason") or "")
    paused = RolloutPaused(by=judging.agent.shown_name, reason=reason)
    return answered(request, "Paused. A supervisor resumes it.", paused)


def _cancel_call(request: ToolRequest, judging: Judging) -> Judged:
    target = str((request.args or {}).get("call_id"))
    running = [call.id for call in judging.state.open_calls]
    if target not in running:
        words = f"there is no call {target[:60]} that still runs. What runs: {', '.join(running) or 'nothing'}."
        return refused(request, words)
    return Judged(request)


def _send_message(request: ToolRequest, judging: Judging) -> Judged:
    args = request.args or {}
    to, waits = str(args.get("to") or ""), bool(args.get("wait"))
    if to == "caller":
        return respond(request, judging)
    person = _person(to, judging)
    if person is None:
        names = ", ".join(person.name for person in judging.facts.people) or "nobody"
        return refused(request, f"there is no person {to[:60]} in this session. There: {names}.")
    sent = AgentOutput(
        **_own(request, "" if waits else f"Sent to {person.name}."),
        content=str(args.get("content") or ""),
        to=person.id,
        to_name=person.name,
        waits=waits,
        form=args.get("form") if waits else None,
    )
    return Judged(sent)


@dataclass(frozen=True, slots=True)
class _Found:
    id: str
    name: str


def _person(to: str, judging: Judging) -> _Found | None:
    """By public id or name as shown, whatever its capitals; nobody named = the person of the turn."""
    turn = judging.state.turn
    wanted = to.removeprefix("@").casefold()
    if not wanted and turn.user_id:
        return _Found(turn.user_id, turn.user)
    for person in judging.facts.people:
        if wanted in (person.id.casefold(), person.name.casefold()):
            return _Found(person.id, person.name)
    return None


_HANDLERS: dict[str, Handler] = {
    UPDATE_PLAN: planned_by,
    UPDATE_STATE: moved_by,
    CANCEL_CALL: _cancel_call,
    "set_timer": _set_timer,
    "cancel_timer": _cancel_timer,
    "escalate": _escalate,
    "note": _note,
    "pause": _pause,
    "send_message": _send_message,
    "remember": remember,
    "recall": recall,
    "search_memory": search,
    "forget": forget,
    "message_agent": message,
    "interrupt_agent": interrupt,
}
