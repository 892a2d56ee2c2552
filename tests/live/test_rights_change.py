"""Who loses a right loses their open sockets within two seconds, and nobody else does."""

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from studio.live.passes import MAX_STREAMS, Doorkeeper, Pass, TooManyStreams, doorkeeper
from studio.live.watch import Watch
from studio.models import Browser, User
from studio.queries.viewer import viewer_of
from studio.rights import Role
from studio.services.accounts import disable_user, set_role
from studio.services.audit import Actor
from studio.services.messages import ClientEvent, post_event
from studio.services.sessions import delete_session, rename_session
from studio.services.sharing import share_session, unshare_session
from studio.services.signin import sign_out_browser
from studio.services.tokens import create_token, revoke_token
from studio.wiring import running
from tests.live.sockets import Socket, cookies_of
from tests.people import browser_of

TWO_SECONDS = 2.5  # one second between two looks, and the machine's share


@pytest.fixture
def token(people):
    return create_token(Actor(people["member"], "test"), people["member"], "script")


def by_cookie(user: User, session) -> Socket:
    return Socket(session.public_id, cookies=cookies_of(browser_of(user)))


async def test_a_disabled_persons_socket_closes(people, session):
    socket = await sync_to_async(by_cookie)(people["member"], session)
    async with socket:
        await socket.frames("snapshot")

        await sync_to_async(disable_user)(Actor.terminal(), people["member"])

        assert await socket.close_code(TWO_SECONDS) == 4403


async def test_a_revoked_tokens_socket_closes(people, session, token):
    async with Socket(session.public_id, token=token[1]) as socket:
        await socket.frames("snapshot")

        await sync_to_async(revoke_token)(Actor.terminal(), token[0])

        assert await socket.close_code(TWO_SECONDS) == 4403


async def test_a_signed_out_browsers_socket_closes(people, session):
    socket = await sync_to_async(by_cookie)(people["member"], session)
    async with socket:
        await socket.frames("snapshot")

        browser = await Browser.objects.aget(user=people["member"])
        await sync_to_async(sign_out_browser)(Actor.terminal(), browser)

        assert await socket.close_code(TWO_SECONDS) == 4403


async def test_a_supervisor_who_becomes_a_member_loses_sight_of_others_sessions(people, session):
    socket = await sync_to_async(by_cookie)(people["supervisor"], session)
    async with socket:
        await socket.frames("snapshot")

        await sync_to_async(set_role)(Actor.terminal(), people["supervisor"], session.project, Role.MEMBER)

        assert await socket.close_code(TWO_SECONDS) == 4403


async def test_an_author_whom_a_session_is_shown_no_longer_is_sent_away(people, session):
    await sync_to_async(share_session)(people["member"], session, "aron")
    socket = await sync_to_async(by_cookie)(people["author"], session)
    async with socket:
        await socket.frames("snapshot")

        await sync_to_async(unshare_session)(people["member"], session, people["author"].public_id)

        assert await socket.close_code(TWO_SECONDS) == 4403


async def test_a_supervisor_who_becomes_a_reviewer_is_shown_less_from_then_on(people, session):
    socket = await sync_to_async(by_cookie)(people["supervisor"], session)
    instruction = ClientEvent("supervisor.instruction", "be brief")
    async with socket:
        await socket.frames("snapshot")
        await sync_to_async(post_event)(people["admin"], session, instruction)
        assert (await socket.frame())["event"] == "pending"

        await sync_to_async(set_role)(Actor.terminal(), people["supervisor"], session.project, Role.REVIEWER)
        await doorkeeper.look()
        await sync_to_async(post_event)(people["admin"], session, instruction)
        await sync_to_async(post_event)(people["member"], session, ClientEvent("user.input", "Hello"))

        types = []
        while "user.input" not in types:
            frame = await socket.frame()
            types += [frame["data"].get("type")] if frame["event"] == "pending" else []
        assert types == ["user.input"] or types == [None, "user.input"]


async def test_a_deleted_sessions_readers_are_told_and_sent_away(people, session):
    socket = await sync_to_async(by_cookie)(people["member"], session)
    async with socket:
        await socket.frames("snapshot")

        await sync_to_async(delete_session)(people["member"], session)

        (reset,) = await socket.frames("reset")
        assert reset["data"] == {"reason": "This session was deleted."}
        assert await socket.close_code() == 4403


async def test_another_title_disturbs_no_reader(people, session, token):
    async with Socket(session.public_id, token=token[1]) as socket:
        await socket.frames("snapshot")

        await sync_to_async(rename_session)(people["member"], session, "Other")
        await sync_to_async(post_event)(people["member"], session, ClientEvent("user.input", "Hello"))

        assert (await socket.frame())["event"] == "pending"


async def test_a_token_without_the_scope_read_opens_nothing(people, session):
    member = people["member"]
    token, text = await sync_to_async(create_token)(Actor(member, "test"), member, "blind", scopes=())
    assert token.created_at < timezone.now()

    with pytest.raises(AssertionError):
        async with Socket(session.public_id, token=text):
            pass


async def test_a_socket_only_reads(people, session, token):
    async with Socket(session.public_id, token=token[1]) as socket:
        await socket.frames("snapshot")

        await socket.says('{"type": "user.input", "content": "Hello"}')

        assert await socket.close_code() == 4405


async def test_an_unknown_cursor_begins_anew(people, session, token):
    async with Socket(session.public_id, token=token[1], query="?after=99") as socket:
        first, second = await socket.frame(), await socket.frame()

        assert (first["event"], second["event"], second["id"]) == ("reset", "event", 1)


async def test_nobody_opens_streams_without_end(people, session):
    viewer = await sync_to_async(viewer_of)(session, people["member"])
    watches = [Watch(session, viewer, running().hub) for _ in range(MAX_STREAMS + 1)]
    keeper, member = Doorkeeper(), Pass(people["member"].pk)
    for watch in watches[:-1]:
        keeper.enter(watch, member)

    with pytest.raises(TooManyStreams, match="Close a tab"):
        keeper.enter(watches[-1], member)
    keeper.leave(watches[0])
    keeper.enter(watches[-1], member)

    for watch in watches:
        keeper.leave(watch)


async def test_who_goes_away_before_the_first_byte_takes_up_no_room(people, session, token, async_client):
    asks = {"headers": {"Authorization": f"Bearer {token[1]}"}}
    for _ in range(MAX_STREAMS + 1):
        await async_client.get(f"/amp/v1/sessions/{session.public_id}/stream", **asks)  # its body is never read

    async with Socket(session.public_id, token=token[1]) as socket:
        assert (await socket.frame())["event"] == "event"
