// Without it: an answer appears when it is recorded. Pieces are added as text, at most once a frame.
const lengthOf = (text) => [...text].length; // offsets count code points

export class GrowingTexts {
  constructor(parts, askAgain) {
    this.parts = parts;
    this.askAgain = askAgain;
    this.open = new Map();
    this.isDue = false;
  }

  take(delta) {
    const step = this.of(delta);
    const block = this.block(step, delta);
    const overlap = block.length - delta.offset;
    if (overlap < 0) {
      this.askAgain(); // a hole: the snapshot brings the whole text
      return;
    }
    const text = overlap ? [...delta.text].slice(overlap).join("") : delta.text;
    block.waiting += text;
    block.length += lengthOf(text);
    this.drawSoon();
  }

  /** A snapshot: what is shown of this rollout's half-made answer is replaced. */
  restart(rollout, open) {
    this.drop(rollout);
    for (const piece of open?.blocks ?? []) {
      this.take({ rollout, step: open.step, attempt: open.attempt, offset: 0, ...piece });
    }
  }

  /** Whether text of the step that just began is on the page already: it must not be taken away again. */
  isAhead({ type, rollout, step, payload }) {
    const open = this.open.get(rollout);
    return type === "step.started" && open?.step === step && open.attempt === payload.attempt;
  }

  recorded({ type, rollout }) {
    if (type === "step.completed" || type === "step.aborted") this.open.delete(rollout);
  }

  drop(rollout) {
    const open = this.open.get(rollout);
    if (!open) return;
    this.open.delete(rollout);
    for (const block of open.blocks.values()) block.element.remove();
  }

  of({ rollout, step, attempt }) {
    const open = this.open.get(rollout);
    if (open?.step === step && open.attempt === attempt) return open;
    this.drop(rollout);
    const fresh = { step, attempt, blocks: new Map(), article: this.article(rollout, step) };
    this.open.set(rollout, fresh);
    return fresh;
  }

  article(rollout, step) {
    const id = `step-${rollout}-${step}`;
    let article = document.getElementById(id);
    if (!article) {
      article = copyOf("streaming-message");
      article.id = id;
      const row = document.querySelector(`#rollouts [data-rollout="${CSS.escape(rollout)}"]`);
      article.querySelector(".c-message__who").textContent = row?.dataset.agent ?? "";
      article.querySelector(".c-avatar").textContent = row?.querySelector(".c-avatar")?.textContent ?? "";
      this.parts.append(article);
    }
    article.dataset.state = "streaming";
    article.ariaBusy = "true";
    article.ariaLive = "off";
    article.querySelector("[data-thinking]")?.remove();
    article.querySelector(".p-chat__thinking")?.remove();
    return article;
  }

  block(step, { block, kind }) {
    let known = step.blocks.get(block);
    if (!known) {
      const element = elementFor(kind);
      step.article.querySelector(".c-message__body").append(element);
      const target = element.querySelector("p[dir], .c-tool__given") ?? element;
      known = { element, node: target.appendChild(document.createTextNode("")), length: 0, waiting: "" };
      step.blocks.set(block, known);
    }
    return known;
  }

  drawSoon() {
    if (this.isDue) return;
    this.isDue = true;
    if (document.hidden) setTimeout(() => this.draw(), 250);
    else requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.isDue = false;
    for (const { blocks } of this.open.values()) {
      for (const block of blocks.values()) {
        if (block.waiting) block.node.appendData(block.waiting);
        block.waiting = "";
      }
    }
    this.parts.end.follow();
  }
}

function elementFor(kind) {
  if (kind === "thought") return copyOf("streaming-thought");
  if (kind === "args") return copyOf("streaming-args");
  const text = document.createElement("div");
  text.className = "c-message__text c-message__text--plain";
  text.dir = "auto";
  return text;
}

function copyOf(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}
