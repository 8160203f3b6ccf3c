"""The JavaScript that runs in a page: each a function expression, none leaves anything behind.

Nothing here waits: a page may have frozen its timers or block its main thread, so all waiting is
done outside, by asking again. Nothing is stored on ``window``: state lives in a handle.
"""

from __future__ import annotations

from importlib import resources

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

SEED = """(seed) => {
  let state = seed >>> 0;
  Math.random = () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}"""
"""Random numbers by mulberry32, the same for a seed everywhere."""

_KEEPER = resources.files(__package__).joinpath("keeper.js").read_text("utf-8")
KEEPER = f"(wishes) => {{ {ROOTS} const seedRandom = {SEED};\nreturn ({_KEEPER})(wishes); }}"
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

FINISHED = """() => {
  // The URLs of all requests that have come to an end, as often as they did.
  const found = performance.getEntriesByType('resource');
  return found.filter((e) => e.responseEnd > 0).map((e) => e.name.split('#')[0]);
}"""

FROM_ZERO = """(moment) => {
  const since = () => Date.now() - moment;
  performance.now = since;
  globalThis.requestAnimationFrame = (callback) =>
    setTimeout(() => callback(since()), 16 - since() % 16);
  globalThis.cancelAnimationFrame = (id) => clearTimeout(id);
}"""

STANDS_AT = """(moment) => '__pwClock' in globalThis && Date.now() === moment"""

SCHEME = """() => matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'"""

AGENT = """() => navigator.userAgent"""

PLATFORM = """() => navigator.platform"""

FONT_WIDTHS = """() => {
  const families = ['serif', 'sans-serif', 'monospace', 'system-ui', 'Arial', 'Helvetica',
    'Times New Roman', 'Courier New', 'Segoe UI', 'DejaVu Sans', 'Liberation Sans', 'Noto Sans',
    'Noto Color Emoji', 'Apple Color Emoji'];
  const own = new Set(), probe = 'mliWQ@&128\\u6f22\\u3042\\u{1f600}';
  document.fonts?.forEach((face) => own.add(face.family.replace(/^["']|["']$/g, '')));
  const canvas = document.createElement('canvas');
  canvas.lang = 'en';
  const pen = canvas.getContext('2d'), widths = {};
  for (const family of families) {
    if (own.has(family)) continue;
    pen.font = `72px ${/^[a-z-]+$/.test(family) ? family : `"${family}", monospace`}`;
    widths[family] = Math.round(pen.measureText(probe).width * 8) / 8;
  }
  return widths;
}"""

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

MOVER = (
    """([x, y, w, h]) => {"""
    + _SELECTOR
    + """
  // What a script writes to an element, and where that puts it: what differs later moves.
  const state = (element) => {
    const box = element.getBoundingClientRect();
    const own = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('');
    const written = [element.getAttribute('style'), element.getAttribute('class'), own].join('|');
    return { written, place: [box.x, box.y, box.width, box.height].join() };
  };
  // Else the element whose box is most like the given one, which holds the old and the new place.
  let best = null, score = 0, seen = 0;
  const there = new Map();
  const look = (root, dx, dy) => {
    for (const element of root.querySelectorAll('*')) {
      if (++seen > 20000) break;
      if (element.localName === 'html' || element.localName === 'body') continue;
      const box = element.getBoundingClientRect();
      const left = box.left + dx, top = box.top + dy;
      const across = Math.min(left + box.width, x + w) - Math.max(left, x);
      const down = Math.min(top + box.height, y + h) - Math.max(top, y);
      // It may have moved on, out of the box: somewhat further is looked as well.
      if (across > -w - 100 && down > -h - 100 && there.size < 2000) {
        there.set(element, state(element));
      }
      if (across <= 0 || down <= 0) continue;
      const shared = across * down;
      const like = shared / (w * h + box.width * box.height - shared);
      if (like > score) { best = element; score = like; }
      if (element.shadowRoot) look(element.shadowRoot, dx, dy);
      if (element.localName !== 'iframe') continue;
      let inner = null;
      try { inner = element.contentDocument; } catch {}
      if (inner) look(inner, left + element.clientLeft, top + element.clientTop);
    }
  };
  look(document, scrollX, scrollY);
  return { name() {
  if (!best) return null;
  const now = [...there].map(([element, before]) => [element, before, state(element)]);
  const wrote = now.find(([, before, after]) => before.written !== after.written);
  const moved = now.find(([, before, after]) => before.place !== after.place);
  best = (wrote || moved || [best])[0];
  const tag = best.localName;
  const near = (name) => (tag === name ? best : best.querySelector(name) || best.closest(name));
  const runs = (animation) => animation.playState === 'running';
  const animated = () => {
    for (let e = best; e; e = e.parentElement) {
      const found = e.getAnimations(e === best ? { subtree: true } : {}).filter(runs);
      if (found.some((a) => /^CSS/.test(a.constructor.name))) return 'CSS animation';
      if (found.length) return 'script animation';
    }
    return null;
  };
  const picture = () => {
    const url = tag === 'img' ? best.currentSrc : getComputedStyle(best).backgroundImage;
    return /\\.(gif|webp|apng)\\b|data:image\\/(gif|webp|apng)/i.test(url);
  };
  const caret = () => w <= 4 && best.ownerDocument.activeElement === best
    && (best.isContentEditable || tag === 'input' || tag === 'textarea');
  const frame = () => {
    try { return tag === 'iframe' && !best.contentDocument; } catch { return true; }
  };
  let cause = 'script animation';
  if (near('video')) cause = 'video';
  else if (picture()) cause = 'animated picture';
  else if (caret()) cause = 'caret';
  else if (frame()) cause = 'frame of another origin';
  else if (tag === 'canvas') cause = 'script animation on a canvas';
  else cause = animated() || cause;
  return { selector: selector(best), cause };
  } };
}"""
)
