// Without it: messages post as a plain form and the page is loaded again; nothing is live.
import "./session-stream.js";
import "./decision-keys.js";
import "./playground-clock.js";
import "./playground-sessions.js";
import "./playground-inspector.js";
import "./playground-posts.js";
import "./playground-state.js";
import { isChild } from "./playground-rollouts.js";
import { Composer } from "./playground-composer.js";
import { showConnection } from "./playground-connection.js";
import { Outbox } from "./playground-outbox.js";
import { Parts } from "./playground-parts.js";
import { GrowingTexts } from "./playground-text.js";

const stream = document.querySelector("session-stream");
const form = document.getElementById("composer");

if (stream) {
  const parts = new Parts(document.getElementById("conversation"));
  const texts = new GrowingTexts(parts, () => stream.reopen());
  const outbox = form && new Outbox(form, parts);
  const composer = form && new Composer(form, outbox);
  let isStale = false;

  stream.addEventListener("connection", ({ detail }) => {
    showConnection(detail.state, detail.reason);
    if (detail.state === "live") outbox?.flush();
    composer?.connection(detail.state);
  });

  stream.addEventListener("frame", ({ detail: frame }) => {
    const { event, data, html = {} } = frame;
    if (isStale) {
      location.reload(); // what is on the page is not what the log says; what follows a deletion is nothing
    } else if (event === "delta") {
      if (!isChild(data.rollout)) texts.take(data); // what an agent says to its caller is shown in the caller's message
    } else if (event === "progress") {
      parts.progress(data);
    } else if (event === "snapshot") {
      parts.surroundings(html);
      texts.restart(data.rollout, isChild(data.rollout) ? null : data.open);
    } else if (event === "event") {
      outbox?.recorded(data);
      if (!texts.isAhead(data)) parts.event(data, html);
      texts.recorded(data);
    } else if (event === "reset") {
      isStale = true;
    } else {
      parts.surroundings(html);
      if (event === "pending" && data.removed) outbox?.left(data.id);
    }
    composer?.refresh();
  });
}
