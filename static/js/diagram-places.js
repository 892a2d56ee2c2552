// Without it: the diagram is a picture with a sentence. Names its parts for those who do not see it, and finds neighbours.
const KINDS = { start: ", the work starts here", end: ", the work ends here", missing: ", which is missing" };

/** Makes a picture of states into something to be walked through: each state and each move a button with a name. */
export function labelled(svg) {
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-roledescription", "diagram");
  for (const part of svg.querySelectorAll("[data-key]")) {
    const { state, kind, count, title } = part.dataset;
    const rollouts = Number(count) ? `, ${count} ${count === "1" ? "rollout" : "rollouts"} there now` : "";
    part.setAttribute("role", "button");
    part.setAttribute("aria-label", state ? `State ${state}${KINDS[kind] ?? ""}${rollouts}` : `Move from ${title}`);
  }
}

/** The state that is nearest in a direction, seen from a part of the diagram; undefined when there is none. */
export function nearest(part, states, [right, down]) {
  const here = middle(part);
  const found = [...states].filter((state) => state !== part).map((state) => {
    const there = middle(state);
    const along = (there.x - here.x) * right + (there.y - here.y) * down;
    const across = Math.abs((there.x - here.x) * down) + Math.abs((there.y - here.y) * right);
    return { state, along, far: along + 2 * across };
  });
  return found.filter(({ along }) => along > 1).sort((one, other) => one.far - other.far)[0]?.state;
}

/** The middle of a part, in the diagram's own pixels. */
export function middle(part) {
  const { x, y, width, height } = part.getBBox();
  return { x: x + width / 2, y: y + height / 2 };
}
