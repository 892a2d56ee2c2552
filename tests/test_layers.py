"""The layers of the architecture hold, and a new package must be placed in them."""

from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[1]


def test_every_import_goes_down_the_layers(capsys):
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=None)

    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out
