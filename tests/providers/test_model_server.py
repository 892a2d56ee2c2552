"""The scripted model server in a process of its own does what other tests rely on."""

import asyncio

from runtime.providers.connections import Connection
from runtime.providers.litellm import LiteLLMModel
from tests.model_server import ModelServerProcess, call, say, when
from tests.providers.asking import OneConnection, answer, asking, assistant, called, output, result, user


def model_of(server: ModelServerProcess) -> LiteLLMModel:
    return LiteLLMModel(OneConnection(Connection("openai/scripted", api_base=server.url, api_key="k")))


async def test_a_request_that_is_repeated_gets_the_same_answer() -> None:
    first, second = call("search", {"words": "a"}), say("Found it.")
    with ModelServerProcess() as server:
        server.script(rules=(when(first, any_contains="parcel", answers=0), when(second, last_role="tool")))
        model = model_of(server)
        begun = asking(user("where is my parcel"))
        step = assistant("", ("0.0", "search", "{}"))
        went_on = asking(user("where is my parcel"), step, result("0.0", "at the door"))

        answers = [called(await answer(model, begun)) for _ in range(2)]
        last = output(await answer(model, went_on))
        other = output(await answer(model, asking(user("hello"))))

    assert answers == [[("search", '{"words": "a"}')]] * 2
    assert (last, other) == ("Found it.", "All right.")


async def test_it_tells_when_the_client_left() -> None:
    with ModelServerProcess() as server:
        server.script(say("a long story", hold_after=1), say("short"))
        task = asyncio.create_task(answer(model_of(server)))
        await asyncio.to_thread(server.wait, "holding")
        held = server.open_generations

        task.cancel()
        await asyncio.to_thread(server.wait, "closed_early")

        generation = server.generations[0]
        bodies = len(server.bodies)
    assert (held, bodies) == (1, 1)
    assert generation["ended"] == "closed_early"
    assert generation["ended_at"] > generation["started_at"]
