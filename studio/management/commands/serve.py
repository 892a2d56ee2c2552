"""`manage.py serve`: the web server and the rollouts, in one process and one event loop."""

from daphne.server import reactor  # first, since Twisted's reactor must be chosen before anything imports it

import asyncio
import logging
import os
import socket
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from twisted.internet.defer import Deferred

from runtime.engine.garbage import collect_seldom
from runtime.engine.shell import GRACE_SECONDS
from studio.asgi import application
from studio.folder_lock import FolderInUse, FolderLock
from studio.live.draining import DrainingServer
from studio.management.refusals import as_command_errors
from studio.management.traces import send_traces_if_asked
from studio.services.audit import Actor
from studio.services.first_run import set_up
from studio.services.housekeeping import keep_house
from studio.services.signin import make_sign_in_link
from studio.services.trigger_watch import watch_triggers
from studio.wiring import Running, running

log = logging.getLogger(__name__)

SECONDS_PER_DAY = 86_400
MAX_GRACE_SECONDS = 3600
MAX_FRAME_BYTES = 8 * 1024 * 1024  # autobahn holds what is sent to it, too: events of 64 KiB, drawn, and long snapshots


class Command(BaseCommand):
    """Serves until it is told to stop; what was left running goes on at once."""

    help = "Serve the studio, and run its rollouts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument(
            "--grace", type=_seconds, default=GRACE_SECONDS, help="seconds that writes get to end on shutdown"
        )
        parser.add_argument("--first-run", action="store_true", help="set up what is missing, print a sign-in link")

    def handle(self, *args: Any, host: str, port: int, grace: float, first_run: bool, **options: Any) -> None:
        if settings.DEBUG and host not in ("127.0.0.1", "::1", "localhost"):
            raise CommandError(f"STUDIO_DEBUG is 1 and would show the studio's inner workings on {host}. Unset it.")
        _must_be_free(host, port)
        lock = FolderLock(settings.DATA_FOLDER)
        try:
            lock.take()
        except FolderInUse as error:
            raise CommandError(str(error)) from None
        with as_command_errors():
            send_traces_if_asked()
        address = f"http://{host if ':' not in host else f'[{host}]'}:{port}"
        if first_run:
            secret = make_sign_in_link(Actor.terminal(), set_up())
            self.stdout.write(f"\n  Studio is at {address}\n  Sign in (once, within 15 minutes):\n")
            base = os.environ.get("STUDIO_URL", "").rstrip("/") or address
            self.stdout.write(f"  {base}{reverse('sign-in-link', args=[secret])}\n\n")
        else:
            self.stdout.write(f"Studio is at {address}")
        self.stdout.flush()
        here = running()
        here.grace_seconds = grace
        serve(host, port, here)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_GRACE_SECONDS:
        raise ArgumentTypeError(f"{text} is no number of seconds from 0 to {MAX_GRACE_SECONDS}. Try 25.")
    return seconds


def serve(host: str, port: int, here: Running) -> None:
    """Runs daphne, with the manager in the same loop, until SIGTERM or Ctrl-C."""
    server = DrainingServer(
        application,
        endpoints=[f"tcp:{port}:interface={host.replace(':', chr(92) + ':')}"],
        ready_callable=lambda: reactor._asyncioEventloop.call_soon(_start, here),
        websocket_timeout=-1,
        websocket_max_message_size=MAX_FRAME_BYTES,
        websocket_max_frame_size=MAX_FRAME_BYTES,
        server_name="studio",
        verbosity=0,
    )
    reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromFuture(asyncio.ensure_future(_stop(here))))
    server.run()
    here.store.writer.close()


def _start(here: Running) -> None:
    task = asyncio.ensure_future(_start_manager(here))
    task.add_done_callback(_must_have_started)


async def _start_manager(here: Running) -> None:
    await here.store.claim_all_stale()
    await here.start_manager()
    collect_seldom()
    here.chores = asyncio.create_task(_keep_house_daily(), name="housekeeping")
    here.watch = asyncio.create_task(watch_triggers(), name="triggers")


async def _keep_house_daily() -> None:
    while True:
        try:
            await keep_house()
        except Exception:
            log.exception("the daily cleaning failed; it is tried again tomorrow")
        await asyncio.sleep(SECONDS_PER_DAY)


def _must_have_started(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.critical("the manager could not start", exc_info=task.exception())
        reactor.stop()


async def _stop(here: Running) -> None:
    for task in (here.chores, here.watch):
        if task is not None:
            task.cancel()
    if here.manager is not None:
        await here.manager.stop()


def _must_be_free(host: str, port: int) -> None:
    """Raises CommandError if somebody listens there already."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error.strerror}). Stop what uses it, or choose another: "
                f"PORT={port + 1} make run"
            ) from None
