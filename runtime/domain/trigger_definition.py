"""What may start or wake an agent from outside: a webhook, a watched folder, a feed or a schedule."""

from typing import Literal, Self, cast

from pydantic import Field, model_validator

from runtime.domain.part import Part
from runtime.domain.quantity import Name, Seconds, Switch

TriggerKind = Literal["webhook", "folder", "feed", "schedule"]


class Webhook(Part):
    """A signed request from another system. The last three name places in its body."""

    name: Name
    secret: Name | None = None
    urgent: Switch = False
    dedupe: str | None = None
    session_by: str | None = None
    user_by: str | None = None

    @property
    def name_in_file(self) -> str:
        return self.name


class Folder(Part):
    """New files in a folder of the workspace."""

    path: Name
    pattern: Name = "*"

    @property
    def name_in_file(self) -> str:
        return f"{self.path.rstrip('/')}/{self.pattern}"


class Feed(Part):
    """New entries of an RSS or Atom feed."""

    url: Name
    every_seconds: Seconds = Field(default=900.0, validation_alias="every")

    @property
    def name_in_file(self) -> str:
        return self.url


class Schedule(Part):
    """Times by a cron line in an IANA zone."""

    cron: Name
    timezone: Name = "UTC"
    input: str = ""
    overlap: Literal["skip", "queue"] = "skip"

    @property
    def name_in_file(self) -> str:
        return f"{self.cron} {self.timezone}"


class Trigger(Part):
    """Exactly one of its fields is given."""

    webhook: Webhook | None = None
    folder: Folder | None = None
    feed: Feed | None = None
    schedule: Schedule | None = None

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if sum(kind is not None for kind in (self.webhook, self.folder, self.feed, self.schedule)) != 1:
            raise ValueError("a trigger is one of webhook, folder, feed or schedule")
        return self

    @property
    def kind(self) -> TriggerKind:
        """Which of its fields is given."""
        return cast("TriggerKind", next(name for name in type(self).model_fields if getattr(self, name) is not None))

    @property
    def name(self) -> str:
        """What tells it from the others of its kind in the same file."""
        return self.settings.name_in_file

    @property
    def settings(self) -> Webhook | Folder | Feed | Schedule:
        """The one that is given."""
        given = self.webhook or self.folder or self.feed or self.schedule
        assert given is not None, "validated above"
        return given
