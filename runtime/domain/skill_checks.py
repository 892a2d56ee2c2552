"""Skills that an agent file names, checked against those of its project."""

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.name_checks import named_items
from runtime.domain.skill import skill_name
from runtime.domain.spelling import did_you_mean
from runtime.domain.yaml_node import MappingNode


def check_skills(root: MappingNode, known: Known, findings: Findings) -> None:
    """An error for each skill that is not there, and for each that is named twice."""
    seen: set[str] = set()
    for node in named_items(root.get("skills")):
        name = skill_name(node.text)
        if known.complete and name not in known.skills:
            meant = did_you_mean(name, known.skills) or " Add it under Settings, Skills, or remove the name."
            findings.error(node, f"There is no skill `{name[:60]}`.{meant}")
        elif name in seen:
            findings.error(node, f"The skill `{name[:60]}` is named twice. Remove one of them.")
        seen.add(name)
