"""What people do in a session: say, stop, decide, control; and what they do with it as a whole."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string

from studio.models import AmpSession, Rollout
from studio.queries.acceptance import state_of_accepted
from studio.queries.person_questions import person_questions
from studio.queries.questions import Question, question_by_id
from studio.queries.rollouts import rollouts_of, visible_rollouts
from studio.queries.sessions import session_for
from studio.queries.viewer import viewer_of
from studio.services.attachments import encoded
from studio.services.audit import Actor
from studio.services.client_event import ClientEvent
from studio.services.control import control_rollout
from studio.services.decisions import AlreadyDecided
from studio.services.messages import interrupt_with_pending, post_event, withdraw_pending
from studio.services.sessions import archive_session, delete_session, rename_session, unarchive_session
from studio.web.decision_post import decide_posted
from studio.web.late_decision import late_decision
from studio.web.person import person
from studio.web.posts import done, is_script, key_of, posted, text_of
from studio.web.schema_form import schema_fields, values_of, written


def _session(request: HttpRequest, public_id: str) -> AmpSession:
    return session_for(person(request), public_id)


@posted
def say(request: HttpRequest, public_id: str) -> HttpResponse:
    """A message; with `mode` interrupt it breaks in. A supervisor who takes no part in the session instructs."""
    session, content = _session(request, public_id), text_of(request, "content")
    is_interrupt = request.POST.get("mode") == "interrupt"
    if not viewer_of(session, person(request)).is_participant:
        event = ClientEvent("supervisor.instruction", content, payload={"queued": not is_interrupt})
    else:
        files = [encoded(file.name or "", file.read()) for file in request.FILES.getlist("files")]
        type_ = "user.interrupt" if is_interrupt and content.strip() and not files else "user.input"
        event = ClientEvent(
            type_, content, urgent=is_interrupt and bool(files), payload={"files": files} if files else {}
        )
    accepted = post_event(person(request), session, event, key_of(request))
    return done(request, public_id, id=accepted.id, state=state_of_accepted(accepted))


@posted
def stop(request: HttpRequest, public_id: str) -> HttpResponse:
    """A bare stop of what runs; with `call_id` of that call alone."""
    call = {"call_id": call_id} if (call_id := request.POST.get("call_id", "")) else {}
    event = ClientEvent("user.interrupt", to=request.POST.get("rollout", ""), payload=call)
    accepted = post_event(person(request), _session(request, public_id), event, key_of(request))
    return done(request, public_id, id=accepted.id)


@posted
def pending_remove(request: HttpRequest, public_id: str, event_id: str) -> HttpResponse:
    """Takes a waiting message back."""
    withdraw_pending(person(request), _session(request, public_id), event_id)
    return done(request, public_id)


@posted
def pending_interrupt(request: HttpRequest, public_id: str, event_id: str) -> HttpResponse:
    """Lets a waiting message break in now."""
    interrupt_with_pending(person(request), _session(request, public_id), event_id, key_of(request))
    return done(request, public_id)


@posted
def control(request: HttpRequest, public_id: str) -> HttpResponse:
    """Pause, resume, cancel or retry of one rollout of the session; of the newest, if none is named."""
    rollout = _rollout(request, _session(request, public_id))
    origin = Actor.of(request).origin
    control_rollout(person(request), rollout, request.POST.get("action", ""), key=key_of(request), origin=origin)
    return done(request, public_id)


def _rollout(request: HttpRequest, session: AmpSession) -> Rollout:
    found = visible_rollouts(person(request)).filter(session=session)
    named = request.POST.get("rollout", "")
    rollout = (found.filter(public_id=named) if named else found.filter(parent=None).order_by("-pk")).first()
    if rollout is None:
        raise Http404("There is no such rollout in this session.")
    return rollout


@posted
def decision(request: HttpRequest, question_id: str) -> HttpResponse:
    """What a person decides about one call; a script that comes too late is sent who was first, as a card."""
    question = _question(request, question_id)
    try:
        decide_posted(request, question)
    except AlreadyDecided as error:
        if not is_script(request):
            raise
        late = late_decision(_question(request, question_id), person(request))
        card = render_to_string("approvals/_late.html", {"late": late})
        return JsonResponse({"error": str(error), "late": card}, status=error.status)
    return done(request, question.rollout.session.public_id)


def _question(request: HttpRequest, question_id: str) -> Question:
    question = question_by_id(person(request), question_id)
    if question is None:
        raise Http404("There is no such question, or it is not yours to see.")
    return question


@posted
def answer(request: HttpRequest, public_id: str, rollout: str, call_id: str) -> HttpResponse:
    """The answer to an agent's form."""
    user, session = person(request), _session(request, public_id)
    asked = rollouts_of(session).filter(public_id=rollout).first()
    question = next((one for one in person_questions(asked) if one.output.call_id == call_id), None) if asked else None
    if question is None:
        raise Http404("There is no such question in this session.")
    values = values_of(schema_fields(question.output.form or {}), request.POST, prefix="value:")
    words = ", ".join(f"{name}: {written(value)}" for name, value in values.items())
    event = ClientEvent("user.input", words, rollout, payload={"form": {"name": call_id, "values": values}})
    accepted = post_event(user, session, event, key_of(request))
    return done(request, public_id, id=accepted.id)


@posted
def rename(request: HttpRequest, public_id: str) -> HttpResponse:
    """Another title; without one it is called after its agent."""
    rename_session(person(request), _session(request, public_id), request.POST.get("title", ""))
    return done(request, public_id, "Renamed")


@posted
def archive(request: HttpRequest, public_id: str) -> HttpResponse:
    """Puts the session away."""
    archive_session(person(request), _session(request, public_id))
    return done(request, public_id, "Archived")


@posted
def unarchive(request: HttpRequest, public_id: str) -> HttpResponse:
    """Takes the session out of the archive."""
    unarchive_session(person(request), _session(request, public_id))
    return done(request, public_id, "Taken out of the archive")


@posted
def delete(request: HttpRequest, public_id: str) -> HttpResponse:
    """Erases the session."""
    delete_session(person(request), _session(request, public_id), origin=Actor.of(request).origin)
    messages.success(request, "Deleted")
    return redirect("playground")
