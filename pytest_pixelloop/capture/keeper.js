// Makes the object that keeps one document still. Nothing in here waits: a page may have frozen its
// timers, so all waiting is done outside, by asking again. Nothing is stored on `window`. scripts.py
// gives roots() and seedRandom().
({ animations, caret, eager, clock, seed }) => {
  const all = (selector) => roots().flatMap((root) => [...root.querySelectorAll(selector)]);
  const cancelled = new Set(), carets = new Map(), lazy = new Set(), listened = new Set();
  const decoding = new Map(), drawings = new Set(), videos = new Map();
  const backgrounds = new Map(), stills = new Map(), unstoppable = new Set(), undo = [];
  const MOST = 20000;

  // ---- inline styles, written over and put back
  const overwrite = (element, name, value) => {
    const before = [element.hasAttribute('style'), element.style.getPropertyValue(name),
      element.style.getPropertyPriority(name)];
    element.style.setProperty(name, value, 'important');
    return before;
  };
  const putBack = (element, name, [styled, value, priority]) => {
    element.style.setProperty(name, value, priority);
    // Read first: Chromium writes the attribute when it is asked for, and a removal before that
    // leaves an empty one.
    if (!styled && element.getAttribute('style') === '') element.removeAttribute('style');
  };

  // ---- animations, as Playwright treats them: finite ones finished, infinite ones at their start
  const stop = (root) => {
    for (const animation of root.getAnimations()) {
      if (!animation.effect || animation.playbackRate === 0 || cancelled.has(animation)) continue;
      try {
        if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish();
        else { animation.cancel(); cancelled.add(animation); }
      } catch {}
    }
    for (const drawing of root.querySelectorAll('svg')) {
      if (drawings.has(drawing) || drawing.ownerSVGElement || drawing.animationsPaused()) continue;
      if (!drawing.querySelector('animate,animateTransform,animateMotion,set')) continue;
      drawings.add(drawing);
      drawing.pauseAnimations();
      drawing.setCurrentTime(0);
    }
  };
  const onStart = (event) => stop(event.currentTarget);

  // ---- video: what plays is paused at its first frame; what never played shows its poster
  const hold = (video) => {
    if (!videos.has(video)) {
      if (!video.autoplay && video.paused && !video.currentTime) return;
      videos.set(video, { paused: video.paused, time: video.currentTime });
    } else if (video.paused) return;
    video.pause();
    if (!video.srcObject) { try { video.currentTime = 0; } catch {} }
  };
  const comes = (video) => !video.error && !video.srcObject && video.currentSrc
    && video.networkState !== 3 && (video.seeking || video.readyState < 2);

  // ---- pictures that move: their first frame is drawn in their place
  const mayMove = (url) => /^data:image\/(gif|webp|apng)/i.test(url)
    || /\.(gif|webp|apng)$/i.test(url.split(/[?#]/)[0]);
  const read = async (url) => {
    if (url.startsWith('data:')) return atob(url.slice(url.indexOf(',') + 1));
    // Of another origin, or a file: the browser would complain in the page's console.
    if (!/^https?:/.test(url) || new URL(url).origin !== location.origin) throw new Error(url);
    const answer = await fetch(url, { cache: 'force-cache' });
    return new TextDecoder('latin1').decode(await answer.arrayBuffer());
  };
  const moves = async (url) => {
    try {
      const text = await read(url);
      if (text.startsWith('GIF8')) return text.split('\x21\xf9\x04').length > 2;
      return text.slice(0, 400).includes('ANIM') || text.slice(0, 4000).includes('acTL');
    } catch { return /gif/i.test(url); }
  };
  const still = async (image) => {
    const bitmap = await createImageBitmap(image);
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    const data = canvas.toDataURL();
    const drawn = new Image();
    drawn.src = data;
    await drawn.decode();
    const density = image.naturalWidth ? bitmap.width / image.naturalWidth : 1;
    return density === 1 ? `url("${data}")` : `image-set(url("${data}") ${density}x)`;
  };
  const replace = (element, name, url, image, value) => {
    const known = stills.get(element);
    if (known && known.url === url) return;
    const state = { url, done: false, name, before: null };
    stills.set(element, state);
    (async () => {
      if (await moves(url)) state.before = overwrite(element, name, value(await still(image)));
    })().catch(() => unstoppable.add(url)).then(() => { state.done = true; });
  };

  // ---- background images: the elements that have them, each picture asked for once
  const URLS = /url\("((?:[^"\\]|\\.)*)"\)/g;
  const ask = (url) => {
    const state = { image: new Image(), done: false, failed: false };
    backgrounds.set(url, state);
    state.image.addEventListener('error', () => { state.failed = state.done = true; });
    state.image.addEventListener('load', () => {
      state.image.decode().catch(() => {}).then(() => { state.done = true; });
    });
    state.image.src = url;
  };
  const painted = (element, pseudo) => {
    const style = getComputedStyle(element, pseudo);
    if (pseudo && style.content === 'none') return [];
    const found = [];
    for (const name of ['backgroundImage', 'maskImage', 'borderImageSource']) {
      for (const [, url] of (style[name] || '').matchAll(URLS)) {
        if (!url.startsWith('data:') || mayMove(url)) found.push(url);
      }
    }
    return found;
  };
  const findBackgrounds = () => {
    let seen = 0;
    for (const element of all('*')) {
      if (++seen > MOST) break;
      for (const pseudo of [null, '::before', '::after']) {
        for (const url of painted(element, pseudo)) {
          if (!backgrounds.has(url)) ask(url);
          const state = backgrounds.get(url);
          if (!animations || pseudo || !state.done || state.failed || !mayMove(url)) continue;
          const whole = getComputedStyle(element).backgroundImage;
          const quoted = `url("${url}")`;
          if (!whole.includes(quoted)) continue;
          replace(element, 'background-image', url, state.image, (v) => whole.replace(quoted, v));
        }
      }
    }
  };

  // ---- clock and randomness, while the page is captured
  const freezeClock = () => {
    const Real = Date;
    const now = () => clock;
    const Frozen = new Proxy(Real, {
      construct: (real, given, made) => Reflect.construct(real, given.length ? given : [clock], made),
      apply: () => new Real(clock).toString(),
      get: (real, key, self) => (key === 'now' ? now : Reflect.get(real, key, self)),
    });
    globalThis.Date = Frozen;
    undo.push(() => { if (globalThis.Date === Frozen) globalThis.Date = Real; });
  };
  const freezeRandom = () => {
    const real = Math.random;
    seedRandom(seed);
    const frozen = Math.random;
    undo.push(() => { if (Math.random === frozen) Math.random = real; });
  };
  // A page that was frozen before it was opened has the clock it needs.
  if (clock !== null && !('__pwClock' in globalThis)) freezeClock();
  if (seed !== null) freezeRandom();

  // ---- layout shifts, where the browser tells of them
  let shifts = 0, observer = null;
  try {
    observer = new PerformanceObserver((list) => { shifts += list.getEntries().length; });
    observer.observe({ type: 'layout-shift', buffered: true });
  } catch { observer = null; }

  const inView = (image) => {
    const box = image.getBoundingClientRect();
    return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  };
  const awaited = (image) =>
    (image.currentSrc || image.src) && (eager || image.loading !== 'lazy' || inView(image));
  const images = () => all('img');
  const waitFor = (image) => {
    if (eager && image.loading === 'lazy' && !image.complete) {
      lazy.add(image);
      image.loading = 'eager';
    }
    if (!awaited(image)) return 0;
    if (!image.complete) return 1;
    const source = image.currentSrc;
    if (!image.naturalWidth) return 0;
    if (animations && mayMove(source)) replace(image, 'content', source, image, (v) => v);
    if (decoding.get(image)?.source === source) return 0;
    const state = { source, done: false };
    decoding.set(image, state);
    image.decode().catch(() => {}).then(() => { state.done = true; });
    return 0;
  };
  const busy = () => all('[aria-busy="true"]').filter((e) => e.getClientRects().length).map(
    (e) => (e.id ? `#${e.id}` : e.localName));

  return {
    // Called before every picture: elements and animations come while a page settles.
    freeze() {
      for (const root of roots()) {
        if (caret) {
          for (const field of root.querySelectorAll('input,textarea,[contenteditable]')) {
            if (carets.has(field)) field.style.setProperty('caret-color', 'transparent', 'important');
            else carets.set(field, overwrite(field, 'caret-color', 'transparent'));
          }
        }
        if (!animations) continue;
        stop(root);
        root.querySelectorAll('video').forEach(hold);
        if (!listened.has(root)) {
          root.addEventListener('transitionrun', onStart);
          root.addEventListener('animationstart', onStart);
          listened.add(root);
        }
      }
    },
    pending() {
      let loading = 0, behind = 0, seeking = 0;
      for (const image of images()) loading += waitFor(image);
      for (const [image, state] of decoding) if (!state.done && image.isConnected) loading++;
      for (const [element, state] of stills) if (!state.done && element.isConnected) loading++;
      findBackgrounds();
      for (const state of backgrounds.values()) if (!state.done) behind++;
      for (const video of videos.keys()) if (video.isConnected && comes(video)) seeking++;
      if (observer) shifts += observer.takeRecords().length;
      return {
        fonts: document.fonts?.status === 'loading', images: loading, backgrounds: behind,
        videos: seeking, busy: busy(), shifts,
      };
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
      return {
        images: failed, fonts, moving: [...unstoppable],
        backgrounds: [...backgrounds].filter(([, state]) => state.failed).map(([url]) => url),
      };
    },
    restore() {
      observer?.disconnect();
      for (const root of listened) {
        root.removeEventListener('transitionrun', onStart);
        root.removeEventListener('animationstart', onStart);
      }
      for (const [field, before] of carets) putBack(field, 'caret-color', before);
      for (const [element, state] of stills) {
        if (state.before) putBack(element, state.name, state.before);
      }
      for (const animation of cancelled) { try { animation.play(); } catch {} }
      for (const drawing of drawings) drawing.unpauseAnimations();
      for (const [video, { paused, time }] of videos) {
        if (!video.srcObject) { try { video.currentTime = time; } catch {} }
        if (!paused) video.play().catch(() => {});
      }
      for (const image of lazy) image.loading = 'lazy';
      for (const step of undo) step();
    },
  };
}
