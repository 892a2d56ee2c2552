"""OpenTelemetry's SDK, set up if the operator asks for it by the standard variables of OpenTelemetry."""

import os

from studio.errors import Refused

ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def send_traces_if_asked() -> None:
    """Send spans to the collector that the environment names; without one, nothing is traced. Raises Refused."""
    if not any(os.environ.get(name) for name in ENDPOINT_VARIABLES):
        return
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # type: ignore[import-not-found]  # an extra
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise Refused(
            f"{ENDPOINT_VARIABLES[0]} is set, and the packages that send traces are not installed. "
            "Run: uv sync --extra tracing, or unset it."
        ) from None
    provider = TracerProvider(resource=Resource.create({"service.name": "studio"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
