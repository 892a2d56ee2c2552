"""What is to be known now beside a trajectory: standing grants, published agents, who else is in the session."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from runtime.domain.facts import Facts, Peer, Person, Published, StandingGrant
from studio.store.batch import Batch, Needs
from studio.store.row import ENDED, RolloutRow
from studio.store.sql import Sql, marks
from studio.store.surroundings import interruptible

LIVING = f"r.lifecycle NOT IN ({', '.join(f"'{name}'" for name in sorted(ENDED))})"


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """Raises NoSuchRollout. `agents`: names whose newest published version is wanted."""

    only_reads: ClassVar[bool] = True

    rollout: str
    agents: Collection[str]

    def needs(self, needs: Needs) -> None:
        needs.rollouts.add(self.rollout)

    def apply(self, batch: Batch) -> RolloutRow:
        return batch.row(self.rollout).kept()

    def finish(self, batch: Batch, applied: RolloutRow) -> Facts:
        place = _place(batch.sql, applied)
        return Facts(
            grants=tuple(_grants(batch.sql, place)),
            agents={found.name: found for found in _published(batch.sql, place, sorted(self.agents))},
            peers=tuple(_peers(batch.sql, place)),
            people=tuple(_people(batch.sql, place)),
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the rollout is."""

    rollout_pk: int
    session_pk: int
    project_pk: int
    agent_pk: int
    may_interrupt: Collection[str]


def _place(sql: Sql, row: RolloutRow) -> _Place:
    columns = ("s.project_id", "a.id", "a.name", "CAST(s.metadata AS text)")
    rest = (
        "FROM studio_rollout r JOIN studio_ampsession s ON s.id = r.session_id "
        "JOIN studio_agent a ON a.id = r.agent_id WHERE r.id = %s"
    )
    project_pk, agent_pk, agent, metadata = sql.rows(columns, rest, [row.pk])[0]
    return _Place(row.pk, row.session_pk, project_pk, agent_pk, interruptible(json.loads(metadata), agent))


def _grants(sql: Sql, place: _Place) -> Iterator[StandingGrant]:
    columns = (
        "g.public_id",
        "g.tool",
        "u.display_name",
        "u.username",
        "g.argument",
        "CAST(g.value AS text)",
        "g.covers_taint",
    )
    rest = (
        "FROM studio_standinggrant g JOIN studio_user u ON u.id = g.given_by_id "
        "WHERE g.project_id = %s AND g.revoked_at IS NULL AND (g.session_id IS NULL OR g.session_id = %s) "
        "AND (g.agent_id IS NULL OR g.agent_id = %s) ORDER BY g.id"
    )
    parameters = [place.project_pk, place.session_pk, place.agent_pk]
    for id_, tool, display_name, username, argument, value, covers_taint in sql.rows(columns, rest, parameters):
        known = None if value is None else json.loads(value)
        yield StandingGrant(id_, tool, display_name or username, argument, known, bool(covers_taint))


def _published(sql: Sql, place: _Place, names: Collection[str]) -> Iterator[Published]:
    if not names:
        return
    rest = (
        "FROM studio_agent a JOIN studio_agentversion v ON v.agent_id = a.id "
        "AND v.number = (SELECT max(n.number) FROM studio_agentversion n WHERE n.agent_id = a.id) "
        f"WHERE a.project_id = %s AND a.archived_at IS NULL AND a.name IN ({marks(len(names))})"
    )
    for row in sql.rows(("a.name", "v.number", "v.text"), rest, [place.project_pk, *names]):
        yield Published(*row)


def _peers(sql: Sql, place: _Place) -> Iterator[Peer]:
    columns = ("r.public_id", "a.name", "coalesce(p.public_id, '')")
    rest = (
        "FROM studio_rollout r JOIN studio_agent a ON a.id = r.agent_id "
        "LEFT JOIN studio_rollout p ON p.id = r.parent_id "
        f"WHERE r.session_id = %s AND r.id <> %s AND {LIVING} ORDER BY r.id"
    )
    for rollout, agent, parent in sql.rows(columns, rest, [place.session_pk, place.rollout_pk]):
        yield Peer(rollout, agent, parent, agent in place.may_interrupt)


def _people(sql: Sql, place: _Place) -> Iterator[Person]:
    columns = ("u.public_id", "u.display_name", "u.username")
    rest = (
        "FROM studio_participant p JOIN studio_user u ON u.id = p.user_id "
        "WHERE p.session_id = %s AND p.left_at IS NULL ORDER BY p.id"
    )
    for id_, display_name, username in sql.rows(columns, rest, [place.session_pk]):
        yield Person(id_, display_name or username)
