"""Agent Skills: what is one, and what is refused in words; names are never paths."""

import pytest

from runtime.domain.skill import SkillRefused, read_skill, skill_name, skills_words, unpacked

MAIN = "---\nname: refund-policy\ndescription: When money may go back\n---\n# Refunds\nSee references/limits.md.\n"


def test_a_folder_with_its_head_is_a_skill_and_is_packed_the_same_way_each_time():
    skill = read_skill({"references/limits.md": "40 %", "SKILL.md": MAIN})

    assert (skill.name, skill.description) == ("refund-policy", "When money may go back")
    assert unpacked(skill.packed) == skill
    assert read_skill({"SKILL.md": MAIN, "references/limits.md": "40 %"}).sha256 == skill.sha256
    assert "- refund-policy: When money may go back" in skills_words([skill])


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"README.md": MAIN}, "There is no SKILL.md"),
        ({"SKILL.md": "no head"}, "does not begin with its head"),
        ({"SKILL.md": "---\nname: ../up\ndescription: x\n---\n"}, "no usable `name`"),
        ({"SKILL.md": "---\nname: ok\n---\n"}, "no usable `description`"),
        ({"SKILL.md": MAIN, "../../etc/passwd": "x"}, "no name for a file"),
        ({"SKILL.md": MAIN, "/etc/passwd": "x"}, "no name for a file"),
        ({"SKILL.md": MAIN, "a/./b": "x"}, "no name for a file"),
        ({"SKILL.md": MAIN, "a\\b": "x"}, "no name for a file"),
        ({"SKILL.md": MAIN, **{f"f{n}": "x" for n in range(50)}}, "at most 50 files"),
        ({"SKILL.md": MAIN + "x" * 500_000}, "at most"),
    ],
)
def test_what_is_no_skill_is_refused_in_words(files, word):
    with pytest.raises(SkillRefused) as refusal:
        read_skill(files)

    assert word in str(refusal.value)


@pytest.mark.parametrize("entry", ["refund-policy", "skills/refund-policy", "a/b/refund-policy/"])
def test_an_agent_file_means_a_skill_by_its_last_word(entry):
    assert skill_name(entry) == "refund-policy"
