"""A budget in US dollars needs models whose price is known."""

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.name_checks import model_nodes
from runtime.domain.yaml_node import MappingNode, child


def check_budget(root: MappingNode, known: Known, findings: Findings) -> None:
    """An error for each model of unknown price, if the file has a budget in US dollars."""
    limits = root.get("limits")
    budget = child(limits, "budget") if limits else None
    if budget is None or child(budget, "usd") is None or known.has_price is None:
        return
    for model in model_nodes(root):
        if not known.has_price(model.text):
            findings.error(
                model,
                f"What `{model.text[:60]}` costs is not known, so a budget in USD cannot be kept. Ask an administrator "
                "to enter its prices under Settings, Models, or use a budget in tokens.",
            )
