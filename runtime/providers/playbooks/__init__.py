"""The scripts that ship with Studio, by the name that stands after `playbook/`."""

from collections.abc import Mapping

from runtime.providers.playbook import Script
from runtime.providers.playbooks.clerk import clerk
from runtime.providers.playbooks.echo import echo
from runtime.providers.playbooks.refund_desk import refund_desk
from runtime.providers.playbooks.tutor import tutor

SCRIPTS: Mapping[str, Script] = {
    "echo": echo,
    "refund-desk": refund_desk,
    "tutor": tutor,
    "clerk": clerk,
}
