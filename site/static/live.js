// Puts a view into each place that has one, when the place comes near. Its script and its numbers are classic scripts
// that call `abhPart`, because a page that is opened as a file may load nothing else.

(() => {
  const NEAR = "600px"; // below what is seen

  /** @type {Map<string, Promise<any>>} */
  const parts = new Map();

  /** Called by each script while it runs.
   *  @param {() => any} make */
  const abhPart = (make) => Object.assign(/** @type {Element} */ (document.currentScript), { made: make() });
  Object.assign(window, { abhPart });

  /** What the script at this address hands to abhPart.
   *  @param {string} address */
  function load(address) {
    if (!parts.has(address)) {
      parts.set(address, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = address;
        script.onload = () => resolve(/** @type {any} */ (script).made);
        script.onerror = () => reject(new Error(`${address} cannot be loaded: build the site again`));
        document.head.append(script);
      }));
    }
    return parts.get(address);
  }

  /** Bytes are base64 in the script; a view expects a DataView, as anywidget hands it over.
   *  @param {any} value */
  const decoded = (value) => value?.base64 === undefined ? value
    : new DataView(Uint8Array.from(atob(value.base64), (letter) => letter.charCodeAt(0)).buffer);

  /** @param {HTMLElement} place */
  async function enliven(place) {
    const { script, values } = place.dataset;
    const [view, sent] = await Promise.all([load(script ?? ""), load(values ?? "")]);
    const traits = new Map(Object.entries(sent).map(([name, value]) => [name, decoded(value)]));
    const nothing = () => {};
    const model = { get: (/** @type {string} */ name) => traits.get(name), set: nothing, save_changes: nothing };
    const el = document.createElement("div");
    await view.render({ model, el });
    place.replaceChildren(el); // in the place of the picture, which stays if anything fails
    place.dataset.alive = "";
  }

  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      enliven(/** @type {HTMLElement} */ (target));
    }
  }, { rootMargin: NEAR });
  for (const place of document.querySelectorAll(".course-live")) seen.observe(place);

  // A search leads to a page: go on to the section with its words. Sphinx marks them 10 ms after the page is parsed.
  const goToFound = () => document.querySelector("section section .highlighted")?.closest("section")?.scrollIntoView();
  window.addEventListener("load", () => { if (!window.location.hash) setTimeout(goToFound, 10); });

  // What is printed is loaded first, wherever it is on the page.
  window.addEventListener("beforeprint", () => {
    for (const image of document.querySelectorAll("img")) image.loading = "eager";
  });

  // On a narrow screen the page's contents cover the text: they close when a section is chosen.
  const drawer = /** @type {HTMLInputElement} */ (document.getElementById("__toc"));
  for (const link of document.querySelectorAll(".toc-drawer a")) {
    link.addEventListener("click", () => { drawer.checked = false; });
  }

  /** What is wider than its place can be scrolled with the keyboard, too. */
  function letKeysScroll() {
    const wide = "article pre, .course-formula, .cell_output figure, .cell_output .text_html, .table-wrapper";
    for (const node of document.querySelectorAll(wide)) {
      if (node.scrollWidth > node.clientWidth) node.setAttribute("tabindex", "0");
      else node.removeAttribute("tabindex");
    }
  }
  letKeysScroll();
  window.addEventListener("resize", letKeysScroll);
  document.addEventListener("toggle", letKeysScroll, true); // what was folded had no size
})();
