"""The URL conf of the orders service alone."""

from django.urls import path

from tests.tools.orders_service import api

urlpatterns = [path("api/", api.urls)]
