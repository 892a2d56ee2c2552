"""Spans: rollout → turn → `llm_N` and tools; off unless an SDK is set up."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from runtime.domain.events import UserInput
from tests.builders import tool


@pytest.fixture(scope="module")
def spans() -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


async def test_a_turn_leaves_its_spans(spans, start, model):
    rollout = await start(tool("look"))
    model.calls(("look", {}))
    model.says("seen")

    await rollout.receive(UserInput(content="go"))
    await rollout.manager.stop()

    found = {span.name: span for span in spans.get_finished_spans()}
    assert set(found) == {"rollout", "turn", "llm_0", "llm_1", "execute_tool look"}
    assert found["turn"].parent.span_id == found["rollout"].context.span_id
    assert found["llm_0"].parent.span_id == found["turn"].context.span_id
    assert found["execute_tool look"].attributes["gen_ai.tool.call.id"] == "0.0"
    assert "go" not in str([dict(span.attributes) for span in found.values()])
