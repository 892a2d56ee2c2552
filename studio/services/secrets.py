"""Secrets: an administrator stores, replaces, binds and removes them. No value ever comes back."""

import re

from django.db import transaction
from django.utils import timezone

from runtime.domain.redaction import SHORTEST
from runtime.tools.outbound.errors import OutboundRefused
from runtime.tools.outbound.target import read_url
from studio.errors import Refused
from studio.models import Project, Secret
from studio.services.audit import Actor, record
from studio.store.connections import keyring
from studio.wiring import running

ACTION = "change secrets"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
VALUE = re.compile(r"[!-~]{8,4000}")
MOST_HOSTS = 20


@transaction.atomic
def store_secret(actor: Actor, project: Project, name: str, value: str, hosts: list[str]) -> Secret:
    """A secret under a new name. `hosts`: where it may be sent, as `host` (https) or `host:port`; none = nowhere.

    Raises NotAllowed, or Refused for a name, value or host that cannot be right.
    """
    actor.must_administer(ACTION)
    if not NAME.fullmatch(name):
        raise Refused("Name the secret with letters, digits, dashes and underscores, such as ORDERS_TOKEN.")
    if Secret.objects.filter(project=project, name=name).exists():
        raise Refused(f"There is a secret named {name} already. Replace its value, or choose another name.")
    row = Secret(project=project, name=name, changed_by=actor.user, hosts=checked_hosts(hosts))
    _write(row, value)
    row.save()
    record(actor, "secret.stored", name, after={"hosts": row.hosts})
    return row


@transaction.atomic
def change_secret(actor: Actor, secret: Secret, *, value: str = "", hosts: list[str]) -> None:
    """Other hosts, and another value if one is given. A value goes to no host that it was not entered for.

    Raises NotAllowed or Refused.
    """
    actor.must_administer(ACTION)
    row = Secret.objects.select_for_update().get(pk=secret.pk)
    before, row.hosts = row.hosts, checked_hosts(hosts)
    if not value and set(row.hosts) - set(before):
        raise Refused("The value was entered for the hosts that were there. Enter it again together with a new host.")
    if value:
        _write(row, value)
    row.changed_by, row.changed_at = actor.user, timezone.now()
    row.save()
    after = {"hosts": row.hosts} | ({"value": "replaced"} if value else {})
    record(actor, "secret.changed", row.name, before={"hosts": before}, after=after)


@transaction.atomic
def remove_secret(actor: Actor, secret: Secret) -> None:
    """Takes it away; what names it fails in words from then on. Raises NotAllowed."""
    actor.must_administer(ACTION)
    record(actor, "secret.removed", secret.name, before={"hosts": secret.hosts})
    Secret.objects.filter(pk=secret.pk).delete()


def checked_hosts(hosts: list[str]) -> list[str]:
    """The hosts in lower case, each once. Raises Refused for what is none."""
    if len(hosts) > MOST_HOSTS:
        raise Refused(f"A secret can be bound to at most {MOST_HOSTS} hosts.")
    return list(dict.fromkeys(_host(host) for host in hosts))


def _host(text: str) -> str:
    text = text.strip().lower()
    try:
        target = read_url(f"https://{text}")
    except OutboundRefused:
        target = None
    if target is None or target.url.removeprefix("https://").removesuffix("/") not in (text, text.removesuffix(":443")):
        raise Refused(f"{text[:100] or 'Nothing'} is no host. Write it as orders.example or orders.example:8443.")
    return text.removesuffix(":443")


def _write(row: Secret, value: str) -> None:
    if not VALUE.fullmatch(value):
        raise Refused(
            f"A secret has at least {SHORTEST} characters, no blanks and no line breaks. A shorter one could not be "
            "kept out of what is recorded. Copy it again from where it was made."
        )
    row.encrypted_value = keyring().encrypt(value.encode())
    running().redactor.learn(value)
