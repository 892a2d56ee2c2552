"""Authors see while they write that the tools of an agent come together to what law 6 is about."""

import pytest

from runtime.domain.agent_file import read_agent_file
from runtime.domain.known import Known, Source
from runtime.domain.problem import Severity
from runtime.domain.tool import Label, ToolSpec

SPECS = {
    name: ToolSpec(name, "", {}, labels=frozenset(labels))
    for name, labels in {
        "page": [Label.READS_UNTRUSTED],
        "ledger": [Label.READS_PRIVATE],
        "mail": [Label.SENDS_EXTERNAL],
        "crm_find": [Label.READS_UNTRUSTED, Label.SENDS_EXTERNAL],
    }.items()
}
KNOWN = Known(
    tools=SPECS, tool_groups={"office": ("page", "mail")}, sources={("openapi", "crm"): Source({"find": "crm_find"})}
)
HEAD = "name: a\nmodel: playbook/echo\n"
SENTENCE = "Asks a person before it sends out by"


def hints(text: str) -> list[tuple[int, str]]:
    file = read_agent_file(HEAD + text, KNOWN)
    assert not file.errors
    return [(one.line, one.message) for one in file.problems if one.severity is Severity.HINT]


def test_the_hint_stands_at_the_tool_that_sends_and_names_the_others():
    ((line, words),) = hints("tools:\n  - page\n  - ledger\n  - {name: mail, approval: never}\n")

    assert line == 6
    assert words.startswith(
        "This agent can read what nobody vouches for (`page`) and private data (`ledger`), and send to the outside "
        "(`mail`). Once it has read both, a person is asked before each call that sends;"
    )


@pytest.mark.parametrize(
    "text",
    [
        "tools: [office, ledger]\n",
        "tools: [{openapi: {spec: crm}}, ledger]\n",
        "tools: [{openapi: {spec: crm}}]\nmemory: {tools: [recall]}\n",
        "tools: [{openapi: {spec: crm}}]\nmemory: {inject: ['*']}\n",
        "tools: [mail, ledger]\ntriggers: [{webhook: {name: orders, secret: S}}]\n",
    ],
)
def test_groups_documents_memory_and_triggers_count(text):
    assert len(hints(text)) == 1
    assert any(one.startswith(SENTENCE) for one in read_agent_file(HEAD + text, KNOWN).granted)


@pytest.mark.parametrize(
    "text",
    [
        "tools: [page, ledger]\n",
        "tools: [page, mail]\n",
        "tools: [ledger, mail]\n",
        "tools: [page, mail]\nmemory: {tools: [remember]}\n",
        "tools: [{openapi: {spec: crm, only: []}}, ledger]\n",
    ],
)
def test_two_of_the_three_are_no_problem(text):
    assert hints(text) == []
    assert not any(one.startswith(SENTENCE) for one in read_agent_file(HEAD + text, KNOWN).granted)
