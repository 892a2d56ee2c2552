"""OpenTelemetry spans: rollout → turn → `llm_N` and tools. Costs nothing until an SDK is set up.

Attribute names follow the GenAI conventions as they are today; they have moved before, so they are constants of ours.
Texts of people, models and tools are never put into a span.
"""

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

from runtime.domain.events import StepCompleted
from runtime.engine.executor import Outcome
from runtime.engine.work import Ended
from runtime.ports import ModelError, RolloutInfo

AGENT_NAME = "gen_ai.agent.name"
CONVERSATION_ID = "gen_ai.conversation.id"
OPERATION = "gen_ai.operation.name"
REQUEST_MODEL = "gen_ai.request.model"
TOKENS_IN = "gen_ai.usage.input_tokens"
TOKENS_OUT = "gen_ai.usage.output_tokens"
FINISH_REASONS = "gen_ai.response.finish_reasons"
TOOL_NAME = "gen_ai.tool.name"
TOOL_CALL_ID = "gen_ai.tool.call.id"
ROLLOUT_ID = "studio.rollout.id"
TURN_START = "studio.turn.start_seq"

tracer = trace.get_tracer("studio.runtime")


class Spans:
    """The open spans of one rollout while it is in memory."""

    def __init__(self, info: RolloutInfo) -> None:
        self._rollout = tracer.start_span(
            "rollout", attributes={AGENT_NAME: info.agent, CONVERSATION_ID: info.session, ROLLOUT_ID: info.rollout}
        )
        self._turn: Span | None = None
        self._turn_start = 0
        self._work: dict[str, Span] = {}

    def step(self, key: str, number: int, model: str, turn_start: int) -> None:
        """A model call begins; a new turn with it, if it is one."""
        attributes = {OPERATION: "chat", REQUEST_MODEL: model}
        self._begin(key, f"llm_{number}", turn_start, attributes)

    def tool(self, key: str, name: str, call_id: str, turn_start: int) -> None:
        """An attempt of a call begins."""
        attributes = {OPERATION: "execute_tool", TOOL_NAME: name, TOOL_CALL_ID: call_id}
        self._begin(key, f"execute_tool {name}", turn_start, attributes)

    def ended(self, key: str, how: Ended | None) -> None:
        """A piece of work ended; None = it was cancelled."""
        span = self._work.pop(key, None)
        if span is None:
            return
        match how:
            case StepCompleted():
                span.set_attributes({TOKENS_IN: how.tokens_in or 0, TOKENS_OUT: how.tokens_out or 0})
                span.set_attribute(FINISH_REASONS, [how.finish_reason])
            case Outcome(status=status):
                span.set_status(Status(StatusCode.OK if status == "ok" else StatusCode.ERROR, None))
            case ModelError(kind=kind):
                span.set_status(Status(StatusCode.ERROR, kind))
            case None:
                span.set_status(Status(StatusCode.ERROR, "cancelled"))
        span.end()

    def close(self) -> None:
        """The rollout leaves memory."""
        for key in list(self._work):
            self.ended(key, None)
        if self._turn is not None:
            self._turn.end()
        self._rollout.end()

    def _begin(self, key: str, name: str, turn_start: int, attributes: dict[str, str]) -> None:
        if not self._rollout.is_recording():
            return
        if self._turn is None or turn_start != self._turn_start:
            if self._turn is not None:
                self._turn.end()
            parent = trace.set_span_in_context(self._rollout)
            self._turn = tracer.start_span("turn", parent, attributes={TURN_START: turn_start})
            self._turn_start = turn_start
        self._work[key] = tracer.start_span(name, trace.set_span_in_context(self._turn), attributes=attributes)
