"""What an agent file sets for tools that run programs."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class SandboxSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    workspace: Annotated[
        str, Field(description="The folder, inside the studio's workspaces; left out: a folder of the session's own.")
    ] = ""
