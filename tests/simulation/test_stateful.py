"""The acts of a run in an order that Hypothesis chooses: over the actor, and with each act over the pure core.

A story that breaks a promise is made shorter until nothing can be left out of it, and printed as Python.
"""

import random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from runtime.domain.apply import fold
from runtime.domain.context import render
from runtime.domain.decide import decide
from runtime.domain.effects import CallModel
from runtime.domain.events import UserInput
from runtime.providers.wire import wire_messages
from tests.providers.history_rules import openai_faults
from tests.simulation.cast import PEOPLE
from tests.simulation.people import ACTS
from tests.simulation.promises import faults_of
from tests.simulation.run import come_to_rest
from tests.simulation.virtual_time import VirtualLoop, stop_all
from tests.simulation.world import ROOT, World

BY_NAME = {act.__name__.removeprefix("_"): act for act in ACTS}
OFTEN = [act.__name__.removeprefix("_") for act, weight in ACTS.items() for _ in range(int(weight * 10))]


class Story(RuleBasedStateMachine):
    """One session with the agents of a cast; people, other programs and bad luck do the rest."""

    @initialize(seed=st.sampled_from(range(5000)))
    def begin(self, seed):
        self.loop = VirtualLoop()
        self.world = World(self.loop, seed)
        self.run(self.world.begin())
        self.run(self.world.post(ROOT, UserInput(content="My order is late."), PEOPLE[0]))

    @rule(act=st.sampled_from(OFTEN), draws=st.sampled_from(range(5000)))
    def happens(self, act, draws):
        self.world.chance.seed(draws)
        random.seed(draws)  # the engine's backoff draws from this one
        self.run(BY_NAME[act](self.world))

    @rule(seconds=st.sampled_from((0, 0.003, 0.3, 1, 5, 70)))
    def time_passes(self, seconds):
        self.run(self.world.let_pass(seconds))

    @precondition(lambda self: self.world.living)
    @rule()
    def all_workers_die(self):
        for worker in self.world.living:
            worker.kill()

    @invariant()
    def no_promise_is_broken(self):
        assert self.world.faults == []

    @invariant()
    def the_state_is_the_fold_of_what_is_recorded_and_what_is_wanted_follows_from_it(self):
        for name, row in self.world.store.rows.items():
            state, agent = self.world.state(name), self.world.store.agent_of(name)
            again = fold(event.at_pos(0) for event in row.events)
            assert again == state
            assert decide(again, agent) == decide(state, agent)

    @invariant()
    def what_the_model_would_be_shown_now_is_a_valid_history(self):
        for name in self.world.store.rows:
            state, agent = self.world.state(name), self.world.store.agent_of(name)
            wanted = [effect for effect in decide(state, agent) if isinstance(effect, CallModel)]
            if wanted and not state.is_speaking:
                messages = render(state, agent, model="m", withhold=wanted[0].withhold).messages
                assert openai_faults(wire_messages(messages, "openai/x")) == []

    def teardown(self):
        if not hasattr(self, "world"):
            return
        if not self.world.faults:
            self.run(come_to_rest(self.world))
            for worker in self.world.living:
                self.run(worker.manager.stop())
        self.world.end()
        stop_all(self.loop)
        self.loop.close()
        assert (self.world.faults or faults_of(self.world)) == []

    def run(self, acting):
        return self.loop.run_until_complete(acting)


TestStories = Story.TestCase
TestStories.settings = settings(max_examples=120, stateful_step_count=60, deadline=None, derandomize=True)
