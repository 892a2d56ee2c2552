// Without it: the form posts and the page is loaded again. form[data-post] posts in place; its effect comes by the stream.
import { post, showProblem } from "./playground-server.js";

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-post]") || !document.querySelector("session-stream")) return;
  event.preventDefault();
  const pressed = event.submitter;
  if (pressed?.ariaBusy === "true") return;
  pressed?.setAttribute("aria-busy", "true");
  const own = form.querySelector("[data-said]");
  try {
    await post(form.action, new FormData(form, pressed));
    if (own) sayIn(form, own, "");
    else showProblem("");
    form.closest("dialog")?.close();
  } catch (error) {
    form.closest("dialog")?.close();
    if (error.late) putLate(form, error.late);
    else if (own) sayIn(form, own, error.message, error.field);
    else showProblem(error.message);
  } finally {
    pressed?.removeAttribute("aria-busy");
  }
});

// A card says itself what was wrong, at the field where it is about one.
function sayIn(form, place, sentence, field = "") {
  place.textContent = sentence;
  for (const wrong of form.querySelectorAll("[aria-invalid]")) wrong.removeAttribute("aria-invalid");
  const control = field ? form.querySelector(`[data-field="${CSS.escape(field)}"] :is(input, textarea, select)`) : null;
  control?.setAttribute("aria-invalid", "true");
  control?.focus();
}

// Somebody else was first: who, and with what, stands in place of the question.
function putLate(form, markup) {
  const holder = document.createElement("template");
  holder.innerHTML = markup.trim();
  const said = holder.content.firstElementChild;
  (document.getElementById(said.id) ?? form).replaceWith(said);
  said.focus({ preventScroll: true });
}

// The first message of a new session: Enter sends, Shift+Enter makes a new line.
document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.("form[data-starts]");
  if (!form || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (event.target.value.trim()) form.requestSubmit();
});

const first = document.querySelector("form[data-starts] textarea");
if (matchMedia("(pointer: fine)").matches) first?.focus(); // on a phone that would open its keyboard
