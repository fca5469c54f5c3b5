// A question with a button for each answer. A click is acknowledged here and sent to the kernel, which records the
// choice and shows the verdict below the next output. On a page without a kernel, the model contains the verdicts.

/** @typedef {{ get(name: string): any, set(name: string, value: any): void, save_changes(): void }} Model */

// Turns off JupyterLab's one-key shortcuts on the buttons, so that Enter and the space bar press them.
const OWN_KEYS = "data-lm-suppress-shortcuts";

/** A new element with children.
 *  @param {string} tag
 *  @param {Record<string, string>} attributes
 *  @param {...(string | Node)} children */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Text in which `backticks` mark code.
 *  @param {string} text
 *  @returns {(string | Node)[]} */
const withCode = (text) =>
  text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));

/** @param {{ model: Model, el: HTMLElement }} mount */
function render({ model, el }) {
  /** @type {Record<string, [string, string]>?} */
  const verdicts = model.get("verdicts");
  const next = verdicts ? "unfold the output below" : "run the next cell";
  const verdict = element("div", { class: "course-predict" });
  const reply = element("div", { class: "course-predict-reply", role: "status", "aria-live": "polite" });

  /** @type {[string, string][]} */
  const answers = Object.entries(model.get("answers"));
  const buttons = answers.map(([letter, text]) => {
    const button = element("button", { type: "button", "data-letter": letter, [OWN_KEYS]: "true" },
      `(${letter}) `, ...withCode(text));
    button.addEventListener("click", () => {
      model.set("choice", letter);
      model.save_changes();
      show(letter);
    });
    return button;
  });

  /** @param {string} letter */
  const show = (letter) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.letter === letter));
    if (!letter) return reply.append(`Choose an answer, then ${next}.`);
    reply.replaceChildren(element("b", {}, `You chose (${letter}).`), ` Now ${next}.`);
    if (!verdicts) return;
    const [head, text] = verdicts[letter];
    verdict.replaceChildren(element("b", {}, head), " ", ...withCode(text));
    const follows = (/** @type {Node} */ node) =>
      el.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
    [...document.querySelectorAll("details.below-input")].find(follows)?.append(verdict);
  };

  const question = model.get("question");
  // Escape leaves the buttons: the focus goes to the cell, where JupyterLab's own keys work again.
  // Shift + Enter runs the next cell: after a click the buttons have the focus, and JupyterLab does not see the key.
  el.addEventListener("keydown", (event) => {
    const cell = /** @type {HTMLElement?} */ (el.closest(".jp-Cell"));
    if (event.key === "Escape") cell?.focus();
    if (event.key !== "Enter" || !event.shiftKey) return;
    const next = /** @type {HTMLElement?} */ (cell?.nextElementSibling);
    if (!next?.matches(".jp-Cell")) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
    next.dispatchEvent(new KeyboardEvent("keydown",
      { key: "Enter", code: "Enter", keyCode: 13, shiftKey: true, bubbles: true, cancelable: true }));
  });
  el.append(element("div", { class: "course-predict", role: "group", "aria-label": `Predict: ${question}`,
    [OWN_KEYS]: "true" },
    element("div", {}, element("b", {}, "Predict:"), " ", ...withCode(question)),
    element("div", { class: "course-predict-answers" }, ...buttons), reply));
  show(model.get("choice"));
}

export default { render };
