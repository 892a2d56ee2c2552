"""A state or a variable of an agent file renamed wherever the file means it: the rest of the text stays as it is.

Prose is left alone: what an author wrote for the model or for people may use the same word for something else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.canonical import STATE_KEYS, canonical
from runtime.domain.condition_tokens import Token, compared, mentions, tokens
from runtime.domain.file_edit import EditRefused, document, is_same
from runtime.domain.findings import Findings
from runtime.domain.machine_nodes import assignments_of, text_of, transitions_of
from runtime.domain.template import compile_template
from runtime.domain.template_names import Span, state_spans, variable_spans
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode, SequenceNode, child, plain_value
from runtime.domain.yaml_splice import Splicer
from runtime.domain.yaml_text import IMPORT_LIMITS, read_yaml

_VARIABLE_PATHS = (("vars",), ("args", "set"))  # in a move, `args.set` is what the call sets
_TARGET = ("args", "to")  # in a move, the state that the call asks for


@dataclass(frozen=True, slots=True)
class _Mention:
    """A value that holds a name, once or several times, at these spans of what it says."""

    node: ScalarNode
    spans: tuple[Span, ...]

    def renamed(self, new: str) -> str:
        """What the value says with the new name."""
        said = self.node.text
        for start, end in sorted(self.spans, reverse=True):
            said = said[:start] + new + said[end:]
        return said


def rename_state(text: str, old: str, new: str) -> str:
    """The text with a state called otherwise: its key, all that leads to it, and where conditions compare with it.

    Raises EditRefused.
    """
    root = document(text)
    _check_free("state", [entry.key.text for entry in _states(root)], old, new)
    return _renamed(text, root, [*_keys(_states(root), old), *_state_mentions(root, old)], old, new)


def redirect_state(text: str, old: str, new: str) -> str:
    """The text with all that leads to the state `old` leading to `new`. Raises EditRefused."""
    root = document(text)
    return _renamed(text, root, list(_state_mentions(root, old)), old, new)


def rename_variable(text: str, old: str, new: str) -> str:
    """The text with a variable called otherwise: its key, what sets it, and where conditions and the template read it.

    Raises EditRefused.
    """
    root = document(text)
    declared = _machine_part(root, "variables")
    entries = declared.entries if isinstance(declared, MappingNode) else ()
    _check_free("variable", [entry.key.text for entry in entries], old, new)
    return _renamed(text, root, [*_keys(entries, old), *_variable_mentions(text, root, old)], old, new)


def _check_free(what: str, names: list[str], old: str, new: str) -> None:
    if old not in names:
        raise EditRefused(f"There is no {what} `{old[:60]}` any more. Look at the text, then try again.")
    if new != old and new in names:
        raise EditRefused(f"There is a {what} `{new[:60]}` already. Choose another name.")


def _machine_part(root: MappingNode, key: str) -> Node | None:
    machine = root.get("states")
    return child(machine, key) if machine else None


def _states(root: MappingNode) -> list[Entry]:
    machine = root.get("states")
    entries = machine.entries if isinstance(machine, MappingNode) else ()
    return [entry for entry in entries if entry.key.text not in STATE_KEYS and not entry.key.text.startswith("x-")]


def _keys(entries: list[Entry] | tuple[Entry, ...], name: str) -> Iterator[_Mention]:
    return (_whole(entry.key) for entry in entries if entry.key.text == name)


def _state_mentions(root: MappingNode, name: str) -> Iterator[_Mention]:
    targets = [_machine_part(root, "initial")]
    for state in _states(root):
        stay = child(state.value, "max_stay")
        targets += [way.get("to") for way in transitions_of(state.value)] + ([child(stay, "to")] if stay else [])
    yield from (_whole(node) for node in map(text_of, targets) if node and node.text == name)
    for node in _move_conditions(root):
        words = tokens(node.text)
        yield _Mention(node, tuple(_inside(word) for word in compared(words, _TARGET) if word.text[1:-1] == name))
    if template := text_of(root.get("user_prompt_template")):
        yield _Mention(template, tuple(state_spans(compile_template(template.text), name)))


def _variable_mentions(text: str, root: MappingNode, name: str) -> Iterator[_Mention]:
    for state in _states(root):
        for way in transitions_of(state.value):
            yield from _keys(assignments_of(way), name)
    for node in _move_conditions(root):
        words = tokens(node.text)
        found = [word for path in _VARIABLE_PATHS for word in mentions(words, (*path, name))]
        yield _Mention(node, tuple(map(_inside, found)))
    for node in _tool_conditions(text, root):
        yield _Mention(node, tuple(_inside(word) for word in mentions(tokens(node.text), ("vars", name))))
    for node in _shown_to_agents(root):
        if node.text == name:
            yield _whole(node)
    if template := text_of(root.get("user_prompt_template")):
        yield _Mention(template, tuple(variable_spans(compile_template(template.text), name)))


def _move_conditions(root: MappingNode) -> Iterator[ScalarNode]:
    """Guards, conditions of approval, and the formulas of what is set."""
    for state in _states(root):
        for way in transitions_of(state.value):
            yield from filter(None, (text_of(way.get("guard")), text_of(way.get("approval"))))
            formulas = filter(None, (text_of(entry.value) for entry in assignments_of(way)))
            yield from (node for node in formulas if node.text.startswith("="))


def _tool_conditions(text: str, root: MappingNode) -> Iterator[ScalarNode]:
    """When a person is asked about a tool, in whichever form the file has it."""
    fields = canonical(root, Findings(TextLines(text)))
    tools = fields.get("tools")
    asked = [child(tool, "approval") for tool in (tools.items if isinstance(tools, SequenceNode) else ())]
    yield from filter(None, map(text_of, [*asked, fields.get("approval_mode")]))


def _shown_to_agents(root: MappingNode) -> Iterator[ScalarNode]:
    """The variables that sub-agents are shown."""
    agents = root.get("agents")
    for agent in agents.items if isinstance(agents, SequenceNode) else ():
        context = child(agent, "context")
        shown = child(context, "variables") if context else None
        yield from filter(None, map(text_of, shown.items if isinstance(shown, SequenceNode) else ()))


def _inside(word: Token) -> Span:
    quote = word.kind == "text"
    return word.start + quote, word.start + len(word.text) - quote


def _whole(node: ScalarNode) -> _Mention:
    return _Mention(node, ((0, len(node.text)),))


def _renamed(text: str, root: MappingNode, found: list[_Mention], old: str, new: str) -> str:
    places = {mention.node.start: mention for mention in found if mention.spans}
    expected = _expected(root, {start: mention.renamed(new) for start, mention in places.items()})
    for start in sorted(places, reverse=True):
        if not text.startswith("*", start):  # an alias says what its anchor says
            text = _spliced(text, places[start], old, new)
    read = read_yaml(text, IMPORT_LIMITS)
    if read.problems or read.root is None or not is_same(plain_value(read.root), expected):
        raise EditRefused(f"`{old[:60]}` cannot be renamed: it is shared with another place. Change the text itself.")
    return text


def _expected(node: Node, said: Mapping[int, str]) -> Any:
    match node:
        case ScalarNode():
            return said.get(node.start, node.value) if isinstance(node.value, str) else node.value
        case SequenceNode():
            return [_expected(item, said) for item in node.items]
        case MappingNode():
            return {_expected(entry.key, said): _expected(entry.value, said) for entry in node.entries}


def _spliced(text: str, mention: _Mention, old: str, new: str) -> str:
    """The text with the name changed where it is written, or else with the whole value written anew."""
    node = mention.node
    begin = text.find("\n", node.start) if node.style in ("|", ">") else node.start  # a sign may have a comment
    raw = text[begin : node.end]
    is_one_word = mention.spans == ((0, len(node.text)),)
    written, said = _occurrences(raw, old), _occurrences(node.text, old)
    if is_one_word or len(written) != len(said):
        return Splicer(text).replaced(node, mention.renamed(new), parent_column=0, in_flow=True)
    for start, _ in sorted(mention.spans, reverse=True):
        at = written[said.index(start)]
        raw = raw[:at] + new + raw[at + len(old) :]
    return text[:begin] + raw + text[node.end :]


def _occurrences(text: str, word: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(word, at)] if word else []
