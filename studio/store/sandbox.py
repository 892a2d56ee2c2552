"""The runtime's SandboxGrants port over the table, and the sandbox of this installation."""

from asgiref.sync import sync_to_async
from django.conf import settings

from runtime.tools.sandbox.sandbox import Sandbox
from studio.models import SandboxGrant


class StoredSandboxGrants:
    """Reads the grant of the rollout's agent at each call."""

    async def has_grant(self, rollout: str) -> bool:
        """As the port says."""
        grants = SandboxGrant.objects.filter(agent__archived_at=None, agent__rollouts__public_id=rollout)
        return await sync_to_async(grants.exists)()


def stored_sandbox() -> Sandbox:
    """Session folders in the data folder, of which programs see nothing else."""
    folder = settings.DATA_FOLDER
    return Sandbox(StoredSandboxGrants(), sessions=str(folder / "sandbox"), kept_out=(str(folder),))
