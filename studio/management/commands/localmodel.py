"""`manage.py localmodel`: a small real model on this machine, to try things without a key."""

import signal
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runtime.providers.local_model import LITELLM_MODEL, NAME, LocalModel, NoLocalModel

STOPS = {signal.SIGINT, signal.SIGTERM}


class Command(BaseCommand):
    help = "Starts SmolLM2-135M behind an OpenAI-compatible server until it is stopped with Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8090, help="0 takes a free port (default: 8090)")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # before llama.cpp starts its threads, which inherit it
        try:
            model = LocalModel(options["port"])
        except NoLocalModel as error:
            raise CommandError(str(error)) from None
        except RuntimeError as error:
            raise CommandError(f"The local model does not start: {error}. Try another --port.") from None
        self.stdout.write(f"The local model listens at {model.address}. To use it in agents, run:\n")
        self.stdout.write(f"  manage.py models add {NAME} --model {LITELLM_MODEL} --address {model.address}\n")
        self.stdout.flush()
        signal.sigwait(STOPS)
