"""Stops for real what an event covers, and says what it found."""

from runtime.domain.agent import Agent
from runtime.domain.effects import RunTool
from runtime.domain.events import ToolResult
from runtime.domain.state import Call, State
from runtime.domain.urgency import BreakingIn, Halted, covered_calls, ends_step
from runtime.engine.executor import Outcome
from runtime.engine.settle import Settler
from runtime.engine.work import Spent, Work


class Stopper:
    """Of one rollout. What was proven untouched is kept until the cut is recorded, since its append may lose."""

    def __init__(self, agent: Agent, work: Work, settler: Settler) -> None:
        self._agent, self._work, self._settler = agent, work, settler
        self._untouched: set[str] = set()

    async def halt(self, state: State, taking: BreakingIn) -> Halted:
        """Cancel the model call and the calls that are covered; wait up to 1 s for each to stop."""
        calls = covered_calls(state, self._agent, taking)
        keys = [RunTool(call).key for call in calls]
        stops_model = ends_step(taking)
        if stops_model:
            self._work.reply.is_closed = True  # from here on nothing is handed out, however long the provider takes
            keys += self._work.model_keys
        await self._work.halt(keys)
        results = {call.id: result for call in calls if (result := self._in_hand(call)) is not None}
        spent = self._work.spent if stops_model else Spent()
        captures = state.step is not None and state.step.captures
        return Halted(
            text=self._work.reply.text if stops_model and not captures else "",
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost_usd=spent.cost_usd,
            results=results,
            untouched=frozenset(self._untouched),
        )

    def recorded(self, halted: Halted, state: State) -> None:
        """The cut is in the trajectory."""
        self._settler.done([f"tool:{call_id}" for call_id in halted.results])
        self._untouched.clear()
        if not state.is_speaking:
            self._work.forget_model()

    def _in_hand(self, call: Call) -> ToolResult | None:
        key = RunTool(call).key
        ended = self._work.ended.get(key) or self._settler.put_off(key)
        if isinstance(ended, Outcome) and not ended.untouched:
            return self._settler.result(call, ended)
        if isinstance(ended, Outcome) or self._settler.waits_for_retry(call):
            self._untouched.add(call.id)
        return None
