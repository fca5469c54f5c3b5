// Starts the slides, and shows the speaker notes in a window of their own, which also works for a page from the disk
// (the window of reveal.js's own plugin does not: a browser keeps two pages from the disk apart).
Reveal.initialize({
  width: 1280, height: 720, margin: 0, minScale: 0.1, maxScale: 4, center: false, controls: false,
  hash: true, respondToHashChanges: true, slideNumber: "c/t", transition: "none",
});

// ---- how large everything on a slide is

const BOTTOM = 692; // where a slide ends, of 720 pixels
const LARGEST = [[".poll", 44], ["figure", 24], ["pre", 30], ["*", 44]]; // pixels, by what is on a slide
const UNBROKEN = 22; // text becomes as small as this before lines of code and output are broken
const SMALLEST = 12;
const FIGURE = 460; // text becomes smaller until its figures have this height

// As large as fits: the text, then the figures with what it leaves.
function fit(slide) {
  const figures = [...slide.querySelectorAll("figure img")], code = [...slide.querySelectorAll("pre")];
  const largest = LARGEST.find(([selector]) => slide.querySelector(selector))[1];
  const stretch = (height) => figures.forEach((figure) => (figure.style.height = `${height}px`));
  const left = () => BOTTOM - Math.max(...[...slide.children].map((child) => child.offsetTop + child.offsetHeight));
  const fits = () => left() >= (figures.length ? FIGURE : 0) && code.every((pre) => pre.scrollWidth <= pre.clientWidth);
  const shrink = (smallest) => {
    for (let size = largest; size >= smallest; size--) {
      slide.style.fontSize = `${size}px`;
      if (fits()) return true;
    }
    return false;
  };
  stretch(0);
  slide.classList.add("unbroken");
  if (!shrink(UNBROKEN)) {
    slide.classList.remove("unbroken");
    shrink(SMALLEST);
  }
  stretch(Math.max(left(), 0) / figures.length);
}

const fitCurrent = () => fit(Reveal.getCurrentSlide());
Reveal.on("ready", fitCurrent);
Reveal.on("slidechanged", fitCurrent);
Reveal.on("pdf-ready", () => Reveal.getSlides().forEach(fit)); // with ?print-pdf behind the address
document.addEventListener("toggle", fitCurrent, true); // a hint was opened or closed

// ---- the speaker notes

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

if (document.querySelector("aside.notes")) {
  Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Speaker notes" }, () => {
    speaker = window.open("", "speaker", "width=960,height=720");
    tell();
  });
  Reveal.on("slidechanged", tell);
}
