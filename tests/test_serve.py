"""What `manage.py serve` is told on the command line."""

from argparse import ArgumentParser

import pytest

from studio.wiring import running


@pytest.fixture
def parser():
    from studio.management.commands.serve import Command  # chooses Twisted's reactor, so not before it is needed

    parser = ArgumentParser()
    Command().add_arguments(parser)
    return parser


def test_writes_get_25_seconds_unless_another_time_is_given(parser):
    assert parser.parse_args([]).grace == 25
    assert parser.parse_args(["--grace", "1.5"]).grace == 1.5


@pytest.mark.parametrize("given", ["-1", "soon", "nan", "inf", "3601"])
def test_a_grace_that_is_no_time_is_refused_in_words(parser, given, capsys):
    with pytest.raises(SystemExit):
        parser.parse_args([f"--grace={given}"])

    assert f"{given} is no number of seconds from 0 to 3600. Try 25." in capsys.readouterr().err


async def test_the_grace_of_the_command_line_is_that_of_the_rollouts(transactional_db):
    here = running.__wrapped__()
    here.grace_seconds = 1.5

    manager = await here.start_manager()

    assert manager._shell.grace_seconds == 1.5
    await manager.stop()
    here.store.writer.close()
