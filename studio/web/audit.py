"""Settings for administrators: the audit log."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from studio.queries.audit import audit_entries
from studio.web.person import person

PAGE_SIZE = 50


@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Who did what, newest first."""
    page = Paginator(audit_entries(person(request)), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "settings/audit.html", {"page": page, "section": "audit"})
