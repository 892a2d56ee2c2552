"""A frozen piece of a definition."""

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """Unknown keys are errors; a field may be given by its own name or by its key in the agent file."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)
