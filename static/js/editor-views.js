// Without it: Form, Both and YAML are links. Switches them in place; lights a field's lines, and the section of the caret.
export function setUpViews(editor) {
  const links = [...document.querySelectorAll("a[data-view]")];
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      editor.dataset.view = link.dataset.view;
      for (const other of links) {
        if (other.dataset.view === link.dataset.view) other.setAttribute("aria-current", "true");
        else other.removeAttribute("aria-current");
      }
      history.replaceState(null, "", link.href);
    });
  }

  editor.addEventListener("focusin", ({ target }) => {
    const lines = target.closest("[data-part]")?.dataset.lines?.split(",").map(Number);
    if (lines) editor.yaml.lightLines?.(...lines);
    else if (!editor.yaml.contains(target)) editor.yaml.lightLines?.();
    mark(target.closest("[data-section]")?.id);
  });

  editor.addEventListener("shown", () => {
    const lines = document.activeElement?.closest("[data-part]")?.dataset.lines?.split(",").map(Number);
    if (lines) editor.yaml.lightLines?.(...lines);
  });

  editor.yaml.addEventListener("caret", ({ detail }) => {
    const part = [...editor.querySelectorAll("[data-part][data-lines]")].find((one) => {
      const [from, to] = one.dataset.lines.split(",").map(Number);
      return from <= detail.line && detail.line <= to;
    });
    mark(part?.closest("[data-section]")?.id);
  });

  editor.addEventListener("click", ({ target }) => {
    const insert = target.closest("[data-insert]");
    const field = insert && document.getElementById(insert.closest("[data-inserts]").dataset.inserts);
    if (!field) return;
    const [start, end] = [field.selectionStart, field.selectionEnd];
    field.focus();
    field.setRangeText(`{{ ${insert.dataset.insert} }}`, start, end, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

  document.addEventListener("keydown", (event) => {
    if (event.altKey && event.key.toLowerCase() === "y") {
      const views = links.filter((link) => link.checkVisibility());
      const at = views.findIndex((link) => link.dataset.view === editor.dataset.view);
      views[(at + 1) % views.length]?.click();
      event.preventDefault();
    }
    if (event.key === "F8" && !event.defaultPrevented && editor.isConnected && editor.yaml.nextProblem?.()) event.preventDefault();
  });

  const finder = document.querySelector("[data-finds]");
  if (finder && editor.yaml.find) {
    finder.hidden = false;
    finder.addEventListener("click", () => editor.yaml.find());
  }
}

function mark(section) {
  if (!section) return;
  for (const link of document.querySelectorAll("#sections > a")) {
    if (link.hash === `#${section}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
