"""One figure in a process of its own, over a data folder that is thrown away: prints its readings as JSON."""

import importlib
import json
import os
import sys
import tempfile


def main(name: str, *, quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="studio-bench-") as folder:
        os.environ.update(STUDIO_DATA=folder, DJANGO_SETTINGS_MODULE="studio.settings")
        import django

        django.setup()
        figure = importlib.import_module(f"benchmarks.{name}")
        readings = figure.measure(quick=quick)
        print(json.dumps([reading.as_dict() for reading in readings]))


if __name__ == "__main__":
    main(sys.argv[1], quick="--quick" in sys.argv)
