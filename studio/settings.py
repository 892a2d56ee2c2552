"""Django's settings. Everything an operator sets is an environment variable that begins with `STUDIO_`."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

from studio.data_folder import encryption_keys, open_data_folder, secret_key
from studio.database_url import database_settings

LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_FOLDER = open_data_folder(Path(os.environ.get("STUDIO_DATA") or BASE_DIR / ".data"))
SECRET_KEY = secret_key(DATA_FOLDER)
ENCRYPTION_KEYS = encryption_keys(DATA_FOLDER)

DEBUG = os.environ.get("STUDIO_DEBUG") == "1"
OTHER_HOSTS = [host.strip() for host in os.environ.get("STUDIO_HOSTS", "").split(",") if host.strip()]
ALLOWED_HOSTS = LOOPBACK + OTHER_HOSTS
BASE_URL = (os.environ.get("STUDIO_URL") or f"http://127.0.0.1:{os.environ.get('PORT') or 8000}").rstrip("/")
HTTPS = os.environ.get("STUDIO_HTTPS", "")

if "*" in OTHER_HOSTS:
    raise ImproperlyConfigured("STUDIO_HOSTS is '*', which accepts any host name. List the names that people use.")
if OTHER_HOSTS and DEBUG:
    raise ImproperlyConfigured("STUDIO_DEBUG is 1 and STUDIO_HOSTS names other hosts. Debug works on loopback only.")
if OTHER_HOSTS and HTTPS not in {"0", "1"}:
    raise ImproperlyConfigured(
        "STUDIO_HOSTS names other hosts but STUDIO_HTTPS is not set. Set it to 1 behind a proxy that speaks HTTPS "
        "and sends X-Forwarded-Proto, or to 0 to let passwords and cookies travel in the clear."
    )

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "studio",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "studio.middleware.static_files.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "studio.middleware.bearer.Bearer",
    "studio.middleware.doors.Doors",
    "studio.middleware.csrf.Csrf",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "studio.middleware.refusals.Refusals",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "studio.urls"
ASGI_APPLICATION = "studio.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "studio.web.shell.shell",
            ],
        },
    }
]

DATABASES = {"default": database_settings(os.environ.get("STUDIO_DATABASE_URL", ""), DATA_FOLDER)}
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

AUTH_USER_MODEL = "studio.User"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SIGN_IN_LINKS_ANYWHERE = os.environ.get("STUDIO_SIGN_IN_LINKS") == "anywhere"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"

SESSION_COOKIE_NAME = "studio_session"  # other programs on this machine's ports share its cookies
CSRF_COOKIE_NAME = "studio_csrf"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS == "1"
if HTTPS == "1":
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

STATIC_URL = "/static/"
STATIC_ROOT = open_data_folder(DATA_FOLDER / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING = {  # to stderr; Django's own default would say nothing without Debug
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "studio": {"level": "INFO"},
        "runtime": {"level": "INFO"},
        "django": {"handlers": [], "level": "WARNING"},
        "django.request": {"level": "ERROR"},  # a 404 is nobody's fault, and its path may be a spent sign-in link
        "django.server": {"handlers": [], "level": "WARNING"},
    },
}
