"""The JavaScript that runs in a page: each a function expression, none leaves anything behind.

Nothing here waits: a page may have frozen its timers or block its main thread, so all waiting is
done outside, by asking again. Nothing is stored on ``window``: state lives in a handle.
"""

from __future__ import annotations

ROOTS = """
  const roots = () => {
    const found = [document], queue = [document];
    while (queue.length) {
      for (const element of queue.pop().querySelectorAll('*')) {
        if (element.shadowRoot) { found.push(element.shadowRoot); queue.push(element.shadowRoot); }
      }
    }
    return found;
  };
"""

KEEPER = (
    """({ animations, caret, eager }) => {"""
    + ROOTS
    + """
  const cancelled = new Set(), carets = new Map(), lazy = new Set(), listened = new Set();
  const decoding = new Map();
  const stop = (root) => {
    for (const animation of root.getAnimations()) {
      if (!animation.effect || animation.playbackRate === 0 || cancelled.has(animation)) continue;
      try {
        if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish();
        else { animation.cancel(); cancelled.add(animation); }
      } catch {}
    }
  };
  const onStart = (event) => stop(event.currentTarget);
  const images = () => roots().flatMap((root) => [...root.querySelectorAll('img')]);
  const inView = (image) => {
    const box = image.getBoundingClientRect();
    return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  };
  const awaited = (image) =>
    (image.currentSrc || image.src) && (eager || image.loading !== 'lazy' || inView(image));
  return {
    // Called before every picture: elements and animations come while a page settles.
    freeze() {
      for (const root of roots()) {
        if (caret) {
          for (const field of root.querySelectorAll('input,textarea,[contenteditable]')) {
            if (!carets.has(field)) {
              carets.set(field, [field.hasAttribute('style'),
                field.style.getPropertyValue('caret-color'),
                field.style.getPropertyPriority('caret-color')]);
            }
            field.style.setProperty('caret-color', 'transparent', 'important');
          }
        }
        if (animations) {
          stop(root);
          if (!listened.has(root)) {
            root.addEventListener('transitionrun', onStart);
            root.addEventListener('animationstart', onStart);
            listened.add(root);
          }
        }
      }
    },
    pending() {
      let loading = 0;
      for (const image of images()) {
        if (eager && image.loading === 'lazy' && !image.complete) {
          lazy.add(image);
          image.loading = 'eager';
        }
        if (!awaited(image)) continue;
        if (!image.complete) { loading++; continue; }
        const source = image.currentSrc;
        if (!image.naturalWidth || decoding.get(image)?.source === source) continue;
        const state = { source, done: false };
        decoding.set(image, state);
        image.decode().catch(() => {}).then(() => { state.done = true; });
      }
      for (const [image, state] of decoding) if (!state.done && image.isConnected) loading++;
      return { fonts: document.fonts?.status === 'loading', images: loading };
    },
    report() {
      const failed = [];
      for (const image of images()) {
        if (image.complete && !image.naturalWidth && (image.currentSrc || image.src)) {
          failed.push(image.currentSrc || image.src);
        }
      }
      const fonts = [];
      document.fonts?.forEach((face) => {
        if (face.status === 'error') fonts.push(face.family);
      });
      return { images: failed, fonts };
    },
    restore() {
      for (const root of listened) {
        root.removeEventListener('transitionrun', onStart);
        root.removeEventListener('animationstart', onStart);
      }
      for (const [field, [styled, value, priority]] of carets) {
        field.style.setProperty('caret-color', value, priority);
        // Read first: Chromium writes the attribute when it is asked for, and a removal before that
        // leaves an empty one.
        if (!styled && field.getAttribute('style') === '') field.removeAttribute('style');
      }
      for (const animation of cancelled) { try { animation.play(); } catch {} }
      for (const image of lazy) image.loading = 'lazy';
    },
  };
}"""
)
"""Makes the object that keeps a document still; animations are treated as Playwright does."""

VIEW = """() => {
  const at = screen.orientation || {};
  return {
    width: innerWidth, height: innerHeight, scale: devicePixelRatio,
    scrollX, scrollY, screenWidth: screen.width, screenHeight: screen.height,
    orientation: at.type || '', angle: at.angle || 0,
    touch: matchMedia('(any-pointer: coarse)').matches,
  };
}"""

PAGE_SIZE = """() => {
  const root = document.documentElement, body = document.body;
  const size = { width: innerWidth, height: innerHeight };
  if (!root) return size;
  const measure = (key) => Math.max(...[root, body].filter(Boolean).flatMap(
    (e) => [e[`scroll${key}`], e[`offset${key}`], e[`client${key}`]]).filter(Number.isFinite));
  // What the viewport clips without a scrollbar cannot be reached by anybody: not part of the page.
  const own = getComputedStyle(root), inner = body ? getComputedStyle(body) : own;
  const propagated = own.overflowX === 'visible' && own.overflowY === 'visible' ? inner : own;
  const clipped = (value) => value === 'hidden' || value === 'clip';
  if (!clipped(propagated.overflowX)) size.width = Math.max(size.width, measure('Width'));
  if (!clipped(propagated.overflowY)) size.height = Math.max(size.height, measure('Height'));
  return size;
}"""

SCROLL = """([x, y]) => window.scrollTo({ left: x, top: y, behavior: 'instant' })"""

HAS_BODY = """() => document.body !== null"""

FONTS_LOADING = """() => document.fonts?.status === 'loading'"""

SCHEME = """() => matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'"""

AGENT = """() => navigator.userAgent"""

REFRESH_FONTS = """() => {
  // Text shaped for one device scale factor keeps that factor's rounded metrics in Chromium until
  // something makes the document look its fonts up again. A change of its font set does.
  if (!document.fonts || typeof FontFace === 'undefined') return;
  const face = new FontFace('pixelloop', 'local("")');
  document.fonts.add(face);
  document.fonts.delete(face);
}"""

_SELECTOR = """
  const selector = (element) => {
    const parts = [];
    for (let e = element; e && e.nodeType === 1 && parts.length < 4; e = e.parentElement) {
      const tag = e.localName;
      if (e.id) { parts.unshift('#' + CSS.escape(e.id)); break; }
      const name = tag + [...e.classList].slice(0, 2).map((c) => '.' + CSS.escape(c)).join('');
      const twins = e.parentElement
        ? [...e.parentElement.children].filter((o) => o.localName === tag) : [e];
      parts.unshift(twins.length > 1 ? `${name}:nth-of-type(${twins.indexOf(e) + 1})` : name);
      if (tag === 'body' || tag === 'html') break;
    }
    return parts.join(' > ');
  };
"""

FOCUSED = (
    """() => {"""
    + _SELECTOR
    + """
  const element = document.activeElement;
  return element && element !== document.body && element !== document.documentElement
    ? selector(element) : null;
}"""
)

ELEMENT_AT = (
    """([x, y, w, h]) => {"""
    + _SELECTOR
    + """
  // The element whose box is most like the given one: what moves covers its old and new place.
  let best = null, score = 0, seen = 0;
  for (const element of document.querySelectorAll('body *')) {
    if (++seen > 20000) break;
    const box = element.getBoundingClientRect();
    const left = box.left + scrollX, top = box.top + scrollY;
    const across = Math.min(left + box.width, x + w) - Math.max(left, x);
    const down = Math.min(top + box.height, y + h) - Math.max(top, y);
    if (across <= 0 || down <= 0) continue;
    const shared = across * down;
    const like = shared / (w * h + box.width * box.height - shared);
    if (like > score) { best = element; score = like; }
  }
  return best ? selector(best) : null;
}"""
)
