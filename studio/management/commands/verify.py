"""`manage.py verify`: does the database keep what Studio promises?"""

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from runtime.domain.tool import Access
from runtime.tools.registry import discover
from studio.verify import verify


class Command(BaseCommand):
    """Exit code 0 if all holds, 1 if not. Runs beside a running server."""

    help = "Check trajectories, queues, counters and the audit log; print the first bad row of each check."

    def handle(self, *args: Any, **options: Any) -> None:
        registry = discover()
        specs = [registry.tool(name).spec for name in registry.names]
        once = {spec.name for spec in specs if spec.access is Access.WRITE and not spec.idempotent and not spec.retries}
        findings = verify(connection, once)
        if not findings:
            self.stdout.write("Everything holds.")
            return
        counts: dict[str, int] = {}
        for finding in findings:
            counts[finding.check] = counts.get(finding.check, 0) + 1
            if counts[finding.check] == 1:
                self.stdout.write(str(finding))
        for check, count in counts.items():
            if count > 1:
                self.stdout.write(f"{check}: {count - 1} more")
        sys.exit(1)
