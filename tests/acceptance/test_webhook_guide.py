"""The curl example of `docs/guide/triggers.md`, run as it stands there against a real server."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.checking import check_database
from tests.acceptance.trigger_stage import SECRET, rows, trigger_seed
from tests.server import StudioServer

pytestmark = pytest.mark.acceptance

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "triggers.md"


def test_the_example_of_the_guide_is_accepted_and_again_repeated(tmp_path):
    seed = trigger_seed(tmp_path / "seed")
    [example] = re.findall(r"```bash\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    [(public_id,)] = rows(seed, "SELECT public_id FROM studio_trigger WHERE kind = 'webhook'")
    server = StudioServer(seed).start()
    example = re.sub("ADDRESS='.*?'", f"ADDRESS='{server.url}/hooks/{public_id}/orders'", example)
    example = re.sub("SECRET='.*?'", f"SECRET='{SECRET}'", example)
    answers = [
        json.loads(subprocess.run(["bash", "-ec", example], capture_output=True, check=True, timeout=60).stdout)
        for _ in range(2)
    ]
    server.stop()

    assert [answer["state"] for answer in answers] == ["accepted", "repeated"]
    assert answers[0]["session"] == answers[1]["session"]
    check_database(seed)
