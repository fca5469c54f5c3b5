// Starts the slides, and shows the speaker notes in a window of their own, which also works for a page from the disk
// (the window of reveal.js's own plugin does not: a browser keeps two pages from the disk apart).
Reveal.initialize({
  width: 1280, height: 720, margin: 0, minScale: 0.1, maxScale: 4, center: false, controls: false,
  hash: true, respondToHashChanges: true, slideNumber: "c/t", transition: "none",
});

let speaker = null;

function tell() {
  if (!speaker || speaker.closed) return;
  const slides = Reveal.getSlides(), slide = Reveal.getCurrentSlide(), index = slides.indexOf(slide);
  const title = (which) => which?.querySelector("h1, h2")?.textContent ?? "the end";
  const notes = slide.querySelector("aside.notes")?.innerHTML ?? "";
  speaker.document.title = "Speaker notes";
  speaker.document.body.innerHTML = `
    <style>body { font: 20px/1.5 sans-serif; margin: 24px 32px; max-width: 46em; color: #1b2a41; }
      small { color: #485061; } h1 { font-size: 28px; margin: 0 0 16px; } td, th { text-align: left; padding-right: 12px; }
    </style><small>${index + 1} of ${slides.length}</small><h1></h1><main></main><hr><small>Next: </small>`;
  speaker.document.querySelector("h1").textContent = title(slide);
  speaker.document.querySelector("main").innerHTML = notes;
  speaker.document.querySelectorAll("small")[1].append(title(slides[index + 1]));
  speaker.document.onkeydown = ({ key }) => {
    if (["ArrowRight", "PageDown", " "].includes(key)) Reveal.next();
    if (["ArrowLeft", "PageUp"].includes(key)) Reveal.prev();
  };
  speaker.scrollTo(0, 0);
}

Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Speaker notes" }, () => {
  speaker = window.open("", "speaker", "width=960,height=720");
  tell();
});
Reveal.on("slidechanged", tell);
