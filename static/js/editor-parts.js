// Without it: the server draws the form anew with each page. Puts fresh parts into the form, never under somebody's hands.
const TEXT = "textarea, input:not([type=checkbox], [type=radio], [type=hidden]), select";

/** Replaces the elements with these ids by what the server drew; a field that has the focus keeps what is in it. */
export function swapParts(parts) {
  for (const [id, html] of Object.entries(parts)) {
    const old = document.getElementById(id);
    const fresh = parsed(html);
    if (!old || !fresh) continue;
    if (old.matches("[data-section]")) swapSection(old, fresh);
    else if (!old.isEqualNode(fresh)) swapPlain(old, fresh);
  }
}

// The list of sections keeps its mark for where the author is.
function swapPlain(old, fresh) {
  const current = old.querySelector("a[aria-current]")?.hash;
  for (const link of fresh.querySelectorAll("a")) if (current && link.hash === current) link.setAttribute("aria-current", "true");
  old.replaceWith(fresh);
}

function swapSection(old, fresh) {
  const [olds, news] = [partsOf(old), partsOf(fresh)];
  if (olds.map((part) => part.id).join() !== news.map((part) => part.id).join()) {
    swapWhole(old, fresh);
    return;
  }
  news.forEach((part, index) => swapPart(olds[index], part));
}

// Rows came or went: the focus goes to the same control, or to the section, never to the top of the page.
function swapWhole(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const open = focused?.closest("details")?.id;
  for (const one of old.querySelectorAll("details[id]:not(.c-menu)")) {
    const same = [...fresh.querySelectorAll("details[id]")].find((other) => other.id === one.id);
    if (same) same.open = one.open;
  }
  old.replaceWith(fresh);
  if (!focused) return;
  const same = sameAs(focused, fresh) ?? (focused.name && fresh.elements[focused.name]);
  const next = (open && document.getElementById(open)?.querySelector("summary")) || same || fresh.querySelector("summary, button, input");
  next?.focus?.();
}

function swapPart(old, fresh) {
  if (old.querySelector("[data-held]")) return;
  if (old.contains(document.activeElement) && document.activeElement.matches(TEXT)) {
    if (fresh.dataset.lines) old.dataset.lines = fresh.dataset.lines;
    for (const name of ["[data-said]", ".c-field__side"]) {
      const [was, now] = [old.querySelector(name), fresh.querySelector(name)];
      if (was && now) was.replaceWith(now);
    }
    copyNames(old, fresh);
  } else if (old.matches("details") && old.open && fresh.matches("details:not(.c-menu)")) {
    fresh.open = true;
    old.replaceWith(fresh);
  } else if (!old.matches("details[open]") && (!old.isEqualNode(fresh) || values(old) !== values(fresh))) {
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    old.replaceWith(fresh);
    if (focused) sameAs(focused, fresh)?.focus();
  }
}

// The element that stands for another one in a fresh drawing.
function sameAs(one, fresh) {
  const { key } = one.dataset;
  return key ? fresh.querySelector(`[data-key="${CSS.escape(key)}"]`) : one.id ? document.getElementById(one.id) : null;
}

// A field that is kept is posted under its new name, when what it belongs to was renamed.
function copyNames(old, fresh) {
  const [was, now] = [old.querySelector(TEXT), fresh.querySelector(TEXT)];
  if (was && now) was.name = now.name;
  if (was && now) was.toggleAttribute("aria-invalid", now.hasAttribute("aria-invalid"));
  if (was?.hasAttribute("aria-invalid")) was.setAttribute("aria-invalid", "true");
}

const partsOf = (section) => [...section.querySelectorAll("[data-part]")];

const values = (part) => [...part.querySelectorAll("input, textarea, select")].map((one) => one.type === "checkbox" ? one.checked : one.value).join("\u0000");

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
}
