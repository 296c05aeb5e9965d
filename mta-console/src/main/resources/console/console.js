// The moving part of a page. Without this script each page works; it only stays as it was.
"use strict";

/** Makes an element like another one, and keeps elements with the same id alive, so that they can glide. */
function morph(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    const before = old.getAttribute(name);
    if (before === value) continue;
    old.setAttribute(name, value);
    if (name === "transform" && before) glide(old, before, value);
  }
  const known = new Map([...old.children].filter((each) => each.id).map((each) => [each.id, each]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const same = wanted.id ? known.get(wanted.id) : likeness(place, wanted);
    if (!same) {
      old.insertBefore(wanted, place);
      continue;
    }
    if (same === place) {
      place = place.nextSibling;
    } else {
      old.insertBefore(same, place);
    }
    if (same.nodeType === Node.ELEMENT_NODE) {
      morph(same, wanted);
    } else if (same.nodeValue !== wanted.nodeValue) {
      same.nodeValue = wanted.nodeValue;
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/** A job that has another place in the list moves there, so that the eye can follow it. */
function glide(row, from, to) {
  const places = [from, to].map((each) => ({ transform: each.replace(/ (-?[\d.]+)\)/, "px, $1px)") }));
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) row.animate(places, 600);
}

function likeness(place, wanted) {
  const fits = place && place.nodeName === wanted.nodeName && !place.id;
  return fits ? place : null;
}

const live = document.querySelector("[data-live]");
let stream = null;

function show(event) {
  // A selection is for copying; the next picture comes in a second.
  if (!document.getSelection().isCollapsed) return;
  const page = new DOMParser().parseFromString(`<div>${event.data}</div>`, "text/html");
  const focus = document.activeElement;
  const link = focus && live.contains(focus) ? focus.getAttribute("href") : null;
  morph(live, Object.assign(page.body.firstChild, { id: "live" }).cloneNode(true));
  if (link && document.activeElement !== focus) {
    [...live.querySelectorAll("a")].find((each) => each.getAttribute("href") === link)?.focus();
  }
}

function follow() {
  if (document.hidden) {
    stream?.close();
    stream = null;
  } else if (!stream) {
    stream = new EventSource(source);
    stream.addEventListener("live", show);
    stream.onerror = () => live.classList.add("stopped");
    stream.onopen = () => live.classList.remove("stopped");
  }
}

const source = live?.dataset.live;
if (live) {
  document.addEventListener("visibilitychange", follow);
  follow();
}

/** The slider of a run shows the moments as it moves; without this, its button does. */
let asked = null;
let asking = false;
async function scrub(form) {
  asked = form;
  if (asking) return;
  asking = true;
  try {
    while (asked) {
      const url = new URL(asked.action);
      url.search = new URLSearchParams(new FormData(asked));
      asked = null;
      const answer = await fetch(url);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const id of ["player", "about"]) {
        const fresh = page.getElementById(id);
        if (fresh) morph(document.getElementById(id), fresh);
      }
      history.replaceState(null, "", url);
    }
  } finally {
    asking = false;
  }
}

document.addEventListener("input", ({ target }) => {
  if (target.matches("#player input[type=range]")) scrub(target.form);
});
