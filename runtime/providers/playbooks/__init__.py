"""The scripts that ship with Studio, by the name that stands after `playbook/`."""

from collections.abc import Mapping

from runtime.providers.playbook import Script
from runtime.providers.playbooks.clerk import clerk
from runtime.providers.playbooks.echo import echo
from runtime.providers.playbooks.refund_desk import parts_finder, policy_researcher, refund_desk
from runtime.providers.playbooks.tutor import tutor

SCRIPTS: Mapping[str, Script] = {
    "echo": echo,
    "refund-desk": refund_desk,
    "policy-researcher": policy_researcher,
    "parts-finder": parts_finder,
    "tutor": tutor,
    "clerk": clerk,
}
