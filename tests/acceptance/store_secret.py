"""Stores a secret in the data folder of the environment: `python -m tests.acceptance.store_secret NAME VALUE`."""

import os
import sys


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "studio.settings"
    import django

    django.setup()
    from studio.services.accounts import default_project
    from studio.services.audit import Actor
    from studio.services.secrets import store_secret

    store_secret(Actor.terminal(), default_project(), sys.argv[1], sys.argv[2], [])


if __name__ == "__main__":
    main()
