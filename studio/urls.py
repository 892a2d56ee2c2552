"""Every route. Each name needs an owner rule in `studio/route_rules.py`."""

from django.contrib import admin
from django.urls import path

urlpatterns = [
    path("admin/", admin.site.urls),
]
