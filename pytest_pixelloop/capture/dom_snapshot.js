// What a page shows, as one JSON text. Called as (options) by a page, as (element, options) by a
// locator. The page is not trusted: forms shadow DOM properties by the names of their fields and
// libraries patch prototypes, so every access goes through the prototypes' own accessors, and
// nothing here iterates, spreads or calls a method of Array.
(first, second) => {
  'use strict';
  const options = second === undefined ? first : second;
  const rootElement = second === undefined ? null : first;
  const apply = Reflect.apply;
  const quote = JSON.stringify;
  const getter = (owner, name) => {
    const found = Object.getOwnPropertyDescriptor(owner.prototype, name);
    return (self) => apply(found.get, self, []);
  };
  const method = (owner, name) => {
    const found = owner.prototype[name];
    return (self, argument) => apply(found, self, argument === undefined ? [] : [argument]);
  };
  const firstChild = getter(Node, 'firstChild');
  const nextSibling = getter(Node, 'nextSibling');
  const parentNode = getter(Node, 'parentNode');
  const nodeType = getter(Node, 'nodeType');
  const nodeValue = getter(Node, 'nodeValue');
  const localName = getter(Element, 'localName');
  const shadowRoot = getter(Element, 'shadowRoot');
  const attribute = method(Element, 'getAttribute');
  const bounds = method(Element, 'getBoundingClientRect');
  const isShown = Element.prototype.checkVisibility ? method(Element, 'checkVisibility') : () => true;
  const assigned = method(HTMLSlotElement, 'assignedNodes');
  const frameDocument = getter(HTMLIFrameElement, 'contentDocument');
  const value = method(CSSStyleDeclaration, 'getPropertyValue');
  const method2 = (owner, name) => {
    const found = owner.prototype[name];
    return (self, one, two) => apply(found, self, [one, two]);
  };
  const matches = method(Element, 'matches');
  const fromPoint = method2(Document, 'elementFromPoint');
  const fromShadowPoint = method2(ShadowRoot, 'elementFromPoint');
  const ownerDocument = getter(Node, 'ownerDocument');
  const pictureComplete = getter(HTMLImageElement, 'complete');
  const pictureWidth = getter(HTMLImageElement, 'naturalWidth');
  const pictureSource = getter(HTMLImageElement, 'currentSrc');
  const clientLeft = getter(Element, 'clientLeft');
  const clientTop = getter(Element, 'clientTop');
  const clientWidth = getter(Element, 'clientWidth');
  const clientHeight = getter(Element, 'clientHeight');
  const scrollWidth = getter(Element, 'scrollWidth');
  const childCount = getter(Element, 'childElementCount');
  const firstElement = getter(Element, 'firstElementChild');
  const nextElement = getter(Element, 'nextElementSibling');
  const labelList = getter(HTMLInputElement, 'labels');
  const collapse = (text) => text.replace(/[\s\u200b\ufeff]+/g, ' ').trim();
  const computed = window.getComputedStyle;
  const nativeText = Function.prototype.toString;
  const isNative = (f) => /\[native code\]\s*\}\s*$/.test(apply(nativeText, f, []));
  const warnings = [];
  const warn = (text) => {
    for (let i = 0; i < warnings.length; i++) if (warnings[i] === text) return;
    if (warnings.length < 20) warnings[warnings.length] = text;
  };
  let trusted = true;
  if (!isNative(computed) || !isNative(CSSStyleDeclaration.prototype.getPropertyValue)
      || !isNative(Element.prototype.getBoundingClientRect)) {
    trusted = false;
    warn('the page replaces the browser\'s own measuring functions');
  }

  // ---- selectors: by id, by test id, by a class nobody else has, else from the nearest such one
  const counts = Object.create(null);
  const count = (key) => { counts[key] = (counts[key] || 0) + 1; };
  const isStable = (name) => name.length <= 40 && !/[0-9]{3,}|^(css|sc|jsx|emotion|svelte|_)-?|__[A-Za-z0-9_-]{5,}$/.test(name);
  const classesOf = (element) => {
    const names = [];
    const parts = (attribute(element, 'class') || '').slice(0, 1000).split(/\s+/);
    for (let i = 0; i < parts.length && names.length < 8; i++) {
      if (parts[i] && isStable(parts[i])) names[names.length] = parts[i];
    }
    return names;
  };
  const idOf = (element) => {
    const id = attribute(element, 'id');
    return id && id.length <= 80 && !/:|^[0-9]|[0-9a-f]{8,}/.test(id) ? id : null;
  };
  const testIdOf = (element) => {
    const id = attribute(element, 'data-testid');
    return id && id.length <= 80 ? id : null;
  };
  const countAll = (start) => {
    let node = start;
    let visited = 0;
    while (node && visited < options.nodeLimit) {
      visited += 1;
      if (nodeType(node) === 1) {
        const id = attribute(node, 'id');
        if (id) count('#' + id);
        const testId = testIdOf(node);
        if (testId) count('@' + testId);
        const names = classesOf(node);
        for (let i = 0; i < names.length; i++) {
          count('.' + names[i]);
          count(localName(node) + '.' + names[i]);
        }
        count(localName(node));
        const shadow = shadowRoot(node);
        if (shadow) countAll(shadow);
        if (localName(node) === 'iframe' && node instanceof HTMLIFrameElement) {
          let inner = null;
          try { inner = frameDocument(node); } catch (_) { inner = null; }
          if (inner) countAll(inner);
        }
      }
      let next = firstChild(node);
      while (!next && node && node !== start) {
        next = nextSibling(node);
        if (!next) node = parentNode(node);
      }
      node = next;
    }
  };
  countAll(document);
  const escape = CSS.escape;
  const known = new Map();
  const knownGet = Map.prototype.get;
  const knownSet = Map.prototype.set;
  const hostOf = getter(ShadowRoot, 'host');
  const segmentOf = (element, parent) => {
    const tag = localName(element);
    const names = classesOf(element);
    let sameTag = 0;
    let position = 0;
    const shared = [];
    for (let i = 0; i < names.length; i++) shared[i] = 0;
    for (let child = firstChild(parent); child; child = nextSibling(child)) {
      if (nodeType(child) !== 1) continue;
      if (localName(child) === tag) {
        sameTag += 1;
        if (child === element) position = sameTag;
        const theirs = ' ' + (attribute(child, 'class') || '') + ' ';
        for (let i = 0; i < names.length; i++) {
          if (theirs.indexOf(' ' + names[i] + ' ') >= 0) shared[i] += 1;
        }
      }
    }
    for (let i = 0; i < names.length; i++) {
      if (shared[i] === 1) return escape(tag) + '.' + escape(names[i]);
    }
    return escape(tag) + (sameTag > 1 ? ':nth-of-type(' + position + ')' : '');
  };
  const build = (element) => {
    const tag = localName(element);
    const id = idOf(element);
    if (id && counts['#' + id] === 1) return '#' + escape(id);
    const testId = testIdOf(element);
    if (testId && counts['@' + testId] === 1) return '[data-testid="' + escape(testId) + '"]';
    if (counts[tag] === 1 && tag !== 'div' && tag !== 'span') return escape(tag);
    const names = classesOf(element);
    for (let i = 0; i < names.length; i++) {
      if (counts['.' + names[i]] === 1) return '.' + escape(names[i]);
    }
    for (let i = 0; i < names.length; i++) {
      if (counts[tag + '.' + names[i]] === 1) return escape(tag) + '.' + escape(names[i]);
    }
    const parent = parentNode(element);
    if (!parent) return escape(tag);
    const segment = segmentOf(element, parent);
    const type = nodeType(parent);
    if (type === 11 && parent instanceof ShadowRoot) {
      return selectorOf(hostOf(parent)) + ' >> ' + segment;
    }
    if (type !== 1) return segment;
    const above = selectorOf(parent);
    // Without a limit, a tree thousands deep would cost the square of its depth.
    return above.length > options.valueLimit - 100 ? segment : above + ' > ' + segment;
  };
  const frames = new Map();  // document of a frame -> selector of its iframe
  const rootOf = method(Node, 'getRootNode');
  const frameOf = (element) => {
    let root = rootOf(element);
    while (root instanceof ShadowRoot) root = rootOf(hostOf(root));
    return apply(knownGet, frames, [root]);
  };
  const selectorOf = (element) => {
    const before = apply(knownGet, known, [element]);
    if (before !== undefined) return before;
    const built = build(element);
    const frame = built.indexOf(ENTER) >= 0 ? undefined : frameOf(element);
    const whole = frame === undefined ? built : frame + ENTER + built;
    apply(knownSet, known, [element, whole]);
    return whole;
  };
  const ENTER = ' >> internal:control=enter-frame >> ';

  // ---- fonts: the first family of a stack that draws other glyph widths than a generic one does
  const generics = ['monospace', 'serif', 'sans-serif'];
  const probe = 'mmmmmmmmlliWQ@&1278';
  const families = Object.create(null);
  let pen = null;
  try {
    pen = document.createElement('canvas').getContext('2d');
  } catch (_) { pen = null; }
  const widths = Object.create(null);
  const widthOf = (font) => {
    if (widths[font] === undefined) {
      pen.font = '72px ' + font;
      widths[font] = pen.measureText(probe).width;
    }
    return widths[font];
  };
  const isGeneric = (name) => /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-.*|math|emoji|-webkit-.*|BlinkMacSystemFont)$/i.test(name);
  const hasFamily = (name) => {
    if (families[name] === undefined) {
      families[name] = isGeneric(name);
      for (let i = 0; i < generics.length && !families[name]; i++) {
        const quoted = '"' + name.replace(/["\\]/g, '') + '", ';
        families[name] = widthOf(quoted + generics[i]) !== widthOf(generics[i]);
      }
    }
    return families[name];
  };
  const usedFont = (stack) => {
    if (!pen) return null;
    const parts = stack.slice(0, 1000).match(/"[^"]*"|[^,]+/g) || [];
    for (let i = 0; i < parts.length && i < 20; i++) {
      const name = parts[i].trim().replace(/^"|"$/g, '');
      if (name && hasFamily(name)) return name;
    }
    return null;
  };

  // ---- geometry
  const round = (v) => (v === v && v < 1e9 && v > -1e9 ? Math.round(v * 1000) / 1000 : 0);
  const cut = (clip, rect) => {
    if (!clip) return rect;
    const left = Math.max(clip.left, rect.left);
    const top = Math.max(clip.top, rect.top);
    return {
      left, top, right: Math.min(clip.right, rect.right), bottom: Math.min(clip.bottom, rect.bottom),
    };
  };
  const SHAPES = ' path rect circle ellipse line polyline polygon text image use ';
  const SKIPPED = ' defs symbol clipPath mask marker pattern filter desc script style template noscript head meta link title base datalist option optgroup ';
  const REPLACED = ' img video canvas iframe object embed input textarea select progress meter ';

  let elements = '';
  let emitted = 0;
  let visited = 0;
  let textBudget = options.totalText;
  let truncated = false;
  const records = [];

  const styleOf = (style, names, defaults, into) => {
    let out = into;
    const plain = Object.create(null);
    for (let i = 0; i < names.length; i++) {
      // A border that is not drawn has a width and a colour all the same: they say nothing.
      const guard = options.guards[names[i]];
      if (guard && plain[guard] !== undefined) continue;
      const found = value(style, names[i]);
      if (found !== defaults[i] && found !== '') {
        out += (out ? ',' : '') + quote(names[i]) + ':' + quote(found.slice(0, options.valueLimit));
      } else plain[names[i]] = true;
    }
    return out;
  };
  const paints = (element) => {
    for (let i = 0; i < 2; i++) {
      const pseudo = computed(element, i ? '::after' : '::before');
      const content = value(pseudo, 'content');
      if (content !== 'none' && content !== 'normal' && value(pseudo, 'display') !== 'none') return true;
    }
    return false;
  };
  const fieldText = (element, tag) => {
    // What a form field shows is no text node. A password is drawn as bullets and stays unread.
    if (tag === 'textarea') {
      return { text: element.value || attribute(element, 'placeholder') || '', hint: !element.value };
    }
    if (tag === 'select') {
      const picked = element.selectedOptions && element.selectedOptions[0];
      return { text: picked ? picked.label || '' : '', hint: false };
    }
    if (tag !== 'input') return null;
    const type = (attribute(element, 'type') || 'text').toLowerCase();
    if (' checkbox radio range color file image hidden '.indexOf(' ' + type + ' ') >= 0) return null;
    const shown = '' + element.value;
    if (type === 'password') return { text: '\u2022'.repeat(Math.min(shown.length, 64)) || attribute(element, 'placeholder') || '', hint: !shown };
    return { text: shown || attribute(element, 'placeholder') || '', hint: !shown };
  };
  const attributesOf = (element, names) => {
    let out = '';
    for (let i = 0; i < names.length; i++) {
      const found = attribute(element, names[i]);
      if (found !== null) {
        out += (out ? ',' : '') + quote(names[i]) + ':' + quote(found.slice(0, options.valueLimit));
      }
    }
    return out;
  };
  const reactSource = (element) => {
    const keys = Object.keys(element);
    for (let i = 0; i < keys.length && i < 50; i++) {
      if (keys[i].indexOf('__reactFiber$') === 0) {
        const fiber = element[keys[i]];
        const source = fiber && fiber._debugSource;
        return source && source.fileName ? source.fileName + ':' + source.lineNumber : '';
      }
    }
    return '';
  };

  const addText = (start, text, rects, dx, dy) => {
    let record = start;
    let direct = true;
    while (record) {
      if (direct && collapse(text)) record.direct = true;
      if (record.text.length < options.textLimit) record.text += text;
      for (let i = 0; i < rects.length && record.lines.length < options.lineLimit; i++) {
        const rect = rects[i];
        if (rect.width > 0 && rect.height > 0) {
          record.lines[record.lines.length] = '[' + round(rect.left + dx) + ',' + round(rect.top + dy)
            + ',' + round(rect.width) + ',' + round(rect.height) + ']';
        }
      }
      if (!record.inline) break;
      record = record.owner;
      direct = false;
    }
  };
  // ---- facts: what lies on top of a text, what cuts it, what can be pressed
  let points = 0;
  const hostOrParent = (node) => {
    const parent = parentNode(node);
    if (parent && nodeType(parent) === 11 && parent instanceof ShadowRoot) return hostOf(parent);
    return parent && nodeType(parent) === 1 ? parent : null;
  };
  const topmost = (owner, x, y) => {
    let found = fromPoint(owner, x, y);
    for (let i = 0; found && i < 20; i++) {
      const shadow = shadowRoot(found);
      const inner = shadow ? fromShadowPoint(shadow, x, y) : null;
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  };
  const isInside = (inner, outer) => {
    for (let node = inner, i = 0; node && i < 400; node = hostOrParent(node), i++) {
      if (node === outer) return true;
    }
    return false;
  };
  const alphaOf = (color) => {
    const found = /^rgba\(.*,\s*([0-9.]+)\)$/.exec(color) || /\/\s*([0-9.]+)\)$/.exec(color);
    return color === 'transparent' ? 0 : found ? +found[1] : 1;
  };
  // 'v' the element itself (or what is around or in it), 'c' something opaque, 't' something else
  const hitAt = (element, owner, x, y) => {
    if (points >= options.pointLimit) return 'o';
    points += 1;
    const hit = topmost(owner, x, y);
    if (!hit) return 'o';
    if (hit === element || isInside(element, hit) || isInside(hit, element)) return 'v';
    let faded = 1;
    for (let node = hit, i = 0; node && i < 60 && !isInside(element, node); node = hostOrParent(node), i++) {
      const style = computed(node);
      faded *= parseFloat(value(style, 'opacity')) || 0;
      const solid = REPLACED.indexOf(' ' + localName(node) + ' ') >= 0
        || alphaOf(value(style, 'background-color')) >= 0.95
        || value(style, 'background-image').indexOf('url(') >= 0;
      if (solid && faded >= 0.9) return 'c';
    }
    return 't';
  };
  const hitsOf = (element, rect) => {
    const owner = ownerDocument(element);
    const y = rect.top + rect.height / 2;
    return hitAt(element, owner, rect.left + rect.width * 0.1, y)
      + hitAt(element, owner, rect.left + rect.width * 0.5, y)
      + hitAt(element, owner, rect.left + rect.width * 0.9, y);
  };
  const FAR = 1e7;
  const isHard = (word) => word === 'hidden' || word === 'clip';
  const isSoft = (word) => word === 'auto' || word === 'scroll';
  const limits = (rect, left, top, right, bottom, x, y) => {
    const before = rect || { left: -FAR, top: -FAR, right: FAR, bottom: FAR };
    return {
      left: x ? Math.max(before.left, left) : before.left, top: y ? Math.max(before.top, top) : before.top,
      right: x ? Math.min(before.right, right) : before.right, bottom: y ? Math.min(before.bottom, bottom) : before.bottom,
    };
  };
  // Slides: the first two children stand side by side.
  const isRow = (element) => {
    const one = firstElement(element);
    const two = one ? nextElement(one) : null;
    if (!two) return false;
    const a = bounds(one), b = bounds(two);
    if (!a.width || !b.width || b.top >= a.bottom || a.top >= b.bottom) return false;
    return b.left >= a.right - 1 || a.left >= b.right - 1;
  };
  // How this element cuts what is in it: for good (hard), until one scrolls (soft), or as meant.
  const cutsOf = (element, style, box, turned, before) => {
    const x = value(style, 'overflow-x');
    const y = value(style, 'overflow-y');
    if (!isHard(x) && !isHard(y) && !isSoft(x) && !isSoft(y)) return before;
    const left = turned ? box.left : box.left + clientLeft(element);
    const top = turned ? box.top : box.top + clientTop(element);
    const right = turned ? box.right : left + clientWidth(element);
    const bottom = turned ? box.bottom : top + clientHeight(element);
    const after = { hard: before.hard, soft: before.soft, abridged: before.abridged };
    if (isHard(x) || isHard(y)) {
      after.hard = limits(before.hard, left, top, right, bottom, isHard(x), isHard(y));
      const wide = clientWidth(element);
      after.abridged = value(style, 'text-overflow') !== 'clip'
        || (value(style, '-webkit-line-clamp') || 'none') !== 'none'
        || (isHard(x) && wide > 0 && scrollWidth(element) >= wide * 1.4
          && (isRow(element) || (childCount(element) === 1 && isRow(firstElement(element)))));
    }
    if (isSoft(x) || isSoft(y)) after.soft = limits(before.soft, left, top, right, bottom, isSoft(x), isSoft(y));
    return after;
  };
  const rectText = (rect) => '[' + round(Math.max(rect.left, -FAR)) + ',' + round(Math.max(rect.top, -FAR)) + ','
    + round(Math.min(rect.right, FAR)) + ',' + round(Math.min(rect.bottom, FAR)) + ']';
  const PRESSED = 'a[href],button,input:not([type=hidden]),select,textarea,summary,area[href],[role=button],[role=link],'
    + '[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=option],[role=slider],[onclick]';
  const labelsOf = (element) => (element instanceof HTMLInputElement ? labelList(element) || [] : []);
  const pressFacts = (element, tag, style, rect, context) => {
    let left = rect.left, top = rect.top, right = rect.right, bottom = rect.bottom;
    const labels = tag === 'input' ? labelsOf(element) : [];
    for (let i = 0; i < labels.length && i < 5; i++) {
      const found = bounds(labels[i]);
      if (!found.width || !found.height) continue;
      left = Math.min(left, found.left); top = Math.min(top, found.top);
      right = Math.max(right, found.right); bottom = Math.max(bottom, found.bottom);
    }
    const grown = labels.length > 0 && (right - left > rect.width || bottom - top > rect.height);
    let out = '"interactive":true';
    if (grown) out += ',"area":[' + round(left + context.dx) + ',' + round(top + context.dy) + ',' + round(right - left) + ',' + round(bottom - top) + ']';
    const type = (attribute(element, 'type') || '').toLowerCase();
    if (tag === 'input' && ' checkbox radio range color file date time '.indexOf(' ' + type + ' ') >= 0
      && value(style, 'appearance') !== 'none') out += ',"native":true';
    if (touch && (rect.width < 24 || rect.height < 24)) {
      const x = (rect.left + rect.right) / 2, y = (rect.top + rect.bottom) / 2;
      const owner = ownerDocument(element);
      let roomy = true;
      for (let i = 0; i < 4 && roomy; i++) {
        const hit = topmost(owner, x + (i === 0 ? -11.5 : i === 1 ? 11.5 : 0), y + (i === 2 ? -11.5 : i === 3 ? 11.5 : 0));
        roomy = !!hit && isInside(hit, element);
      }
      if (roomy) out += ',"roomy":true';
    }
    return out;
  };
  const factsOf = (element, tag, style, rect, context, cuts) => {
    let out = '';
    const add = (text) => { out += (out ? ',' : '') + text; };
    if (cuts.hard) add('"hard":' + rectText(cuts.hard));
    if (cuts.soft) add('"soft":' + rectText(cuts.soft));
    if (cuts.abridged) add('"abridged":true');
    if (context.cloaked) add('"cloaked":true');
    if (context.fixed) add('"fixed":true');
    if (context.opacity < 0.999) add('"opacity":' + round(context.opacity));
    if (context.disabled) add('"disabled":true');
    if (tag === 'img' && element instanceof HTMLImageElement) {
      const source = pictureSource(element) || attribute(element, 'src') || '';
      if (source && pictureComplete(element) && !pictureWidth(element)) {
        add('"broken":' + quote(source.slice(0, options.valueLimit)));
      }
    }
    const tabbed = attribute(element, 'tabindex');
    if (matches(element, PRESSED) || (tabbed !== null && +tabbed >= 0)) {
      add(pressFacts(element, tag, style, rect, context));
    }
    return out;
  };
  const NO_CUTS = { hard: null, soft: null, abridged: false };
  const isCloaked = (style) => {
    const path = value(style, 'clip-path');
    const old = value(style, 'clip');
    return /inset\((50|100)%/.test(path) || /^rect\((0px|1px|0),? (0px|1px|0),? (0px|1px|0),? (0px|1px|0)\)$/.test(old);
  };
  const touch = window.matchMedia ? window.matchMedia('(any-pointer: coarse)').matches : false;
  const range = document.createRange();
  const selectNode = method(Range, 'selectNode');
  const rectsOf = method(Range, 'getClientRects');

  const visitText = (node, context) => {
    if (!context.record || context.mute || textBudget <= 0) return;
    const text = (nodeValue(node) || '').slice(0, options.textLimit);
    textBudget -= text.length;
    let rects = [];
    if (collapse(text)) {
      selectNode(range, node);
      rects = rectsOf(range);
    }
    addText(context.record, text, rects, context.dx, context.dy);
    if (!context.record.facts) return;
    const runs = context.record.facts.runs;
    for (let i = 0; i < rects.length && runs.length < options.lineLimit; i++) {
      const rect = rects[i];
      if (rect.width <= 0 || rect.height <= 0) continue;
      runs[runs.length] = '[' + round(rect.left + context.dx) + ',' + round(rect.top + context.dy)
        + ',' + round(rect.width) + ',' + round(rect.height) + ',"' + hitsOf(context.record.element, rect) + '"]';
    }
  };

  const emit = (element, tag, style, rect, context, flags) => {
    const record = {
      index: emitted, owner: context.record, inline: flags.inline, text: '', lines: [], direct: false,
      head: '', style, element, tag, font: null,
      facts: { runs: [], text: factsOf(element, tag, style, rect, flags.inner, flags.cuts) },
    };
    emitted += 1;
    let own = styleOf(style, options.boxNames, options.boxDefaults, '');
    if (flags.svg) own = styleOf(style, options.svgNames, options.svgDefaults, own);
    record.own = own;
    const field = fieldText(element, tag);
    let fieldStyle = null;
    if (field && field.text) {
      record.text = field.text.slice(0, options.textLimit);
      record.direct = true;
      if (field.hint) fieldStyle = computed(element, '::placeholder');
    }
    record.textStyle = fieldStyle || style;
    record.head = '"parent":' + (context.record ? context.record.index : 'null')
      + ',"selector":' + quote(selectorOf(element).slice(0, options.valueLimit))
      + ',"tag":' + quote(tag)
      + ',"box":[' + round(rect.left + context.dx) + ',' + round(rect.top + context.dy) + ','
      + round(rect.width) + ',' + round(rect.height) + ']'
      + ',"inline":' + flags.inline
      + ',"transformed":' + flags.transformed
      + ',"clipped":' + flags.clipped
      + ',"pseudo":' + (flags.svg ? false : paints(element))
      + ',"hint":' + !!(field && field.hint)
      + ',"attributes":{' + attributesOf(element, options.attributeNames) + '}';
    const react = flags.svg ? '' : reactSource(element);
    if (react) record.head += ',"react":' + quote(('' + react).slice(0, options.valueLimit));
    records[records.length] = record;
    return record;
  };

  const visitElement = (element, context) => {
    const tag = localName(element);
    if (SKIPPED.indexOf(' ' + tag + ' ') >= 0) return null;
    if (tag === 'br' || tag === 'wbr') {
      if (context.record && tag === 'br') addText(context.record, '\n', [], 0, 0);
      return null;
    }
    const style = computed(element);
    const display = value(style, 'display');
    if (display === 'none' || parseFloat(value(style, 'opacity')) <= 0) return null;
    if (value(style, 'content-visibility') === 'hidden') return null;
    if (display !== 'contents' && !isShown(element)) return null;
    const svg = element instanceof SVGElement;
    const inSvg = context.svg;
    const rect = bounds(element);
    const box = { left: rect.left + context.dx, top: rect.top + context.dy, right: rect.right + context.dx, bottom: rect.bottom + context.dy };
    const position = value(style, 'position');
    const transform = value(style, 'transform');
    const turned = (transform !== 'none' && transform.indexOf('matrix(1, 0, 0, 1,') !== 0)
      || value(style, 'rotate') !== 'none' || value(style, 'scale') !== 'none';
    const transformed = context.transformed || turned || (value(style, 'zoom') || '1') !== '1';
    const clip = position === 'fixed' ? null : position === 'absolute' ? context.clipFar : context.clip;
    const seen = cut(clip, box);
    const clips = !svg && value(style, 'overflow-x') !== 'visible' && display !== 'inline' && tag !== 'body' && tag !== 'html';
    const tiny = rect.width <= 1 && rect.height <= 1 && clips;
    if (tiny) return null;
    const held = position === 'fixed' ? NO_CUTS : position === 'absolute' ? context.cutsFar : context.cuts;
    const cuts = svg || display === 'inline' || tag === 'body' || tag === 'html'
      ? held : cutsOf(element, style, box, turned, held);
    const facts = {
      cuts, opacity: context.opacity * parseFloat(value(style, 'opacity')),
      disabled: context.disabled || matches(element, ':disabled') || attribute(element, 'aria-disabled') === 'true',
      cloaked: context.cloaked || isCloaked(style), fixed: context.fixed || position === 'fixed',
    };
    const hidden = value(style, 'visibility') !== 'visible';
    const inside = seen.right > seen.left && seen.bottom > seen.top
      && seen.right > 0 && seen.bottom > 0;
    const shown = !hidden && inside && display !== 'contents' && tag !== 'html'
      && (!inSvg || (SHAPES.indexOf(' ' + tag + ' ') >= 0 && context.shapes.left > 0));
    let record = context.record;
    if (shown) {
      if (emitted >= options.elementLimit) {
        truncated = true;
        return null;
      }
      if (inSvg) context.shapes.left -= 1;
      const inline = display === 'inline' && REPLACED.indexOf(' ' + tag + ' ') < 0 && !svg;
      const clipped = seen.right - seen.left < rect.width - 0.5 || seen.bottom - seen.top < rect.height - 0.5;
      if (!inline && context.record) addText(context.record, ' ', [], 0, 0);
      record = emit(element, tag, style, rect, context, {
        inline, svg, transformed, clipped, cuts, inner: {
          opacity: facts.opacity, disabled: facts.disabled, cloaked: facts.cloaked, fixed: facts.fixed,
          dx: context.dx, dy: context.dy,
        },
      });
    }
    const positioned = position !== 'static' || transform !== 'none';
    const inner = clips ? cut(clip, box) : clip;
    return {
      record, mute: shown ? false : context.mute || hidden || !(inside || display === 'contents'),
      transformed, dx: context.dx, dy: context.dy, svg: inSvg || tag === 'svg',
      shapes: tag === 'svg' && !inSvg ? { left: options.shapeLimit } : context.shapes,
      clip: inner, clipFar: positioned ? inner : context.clipFar,
      cuts, cutsFar: positioned ? cuts : context.cutsFar, opacity: facts.opacity, disabled: facts.disabled,
      cloaked: facts.cloaked, fixed: facts.fixed,
    };
  };
  // The children that are painted: those of the shadow tree, of a slot's assignment, of a frame.
  const pushChildren = (stack, element, context) => {
    const tag = localName(element);
    if (tag === 'textarea' || tag === 'select') return;
    let source = element;
    let inner = context;
    const shadow = shadowRoot(element);
    if (shadow) source = shadow;
    if (tag === 'slot' && element instanceof HTMLSlotElement) {
      const nodes = assigned(element);
      if (nodes.length) {
        for (let i = nodes.length - 1; i >= 0; i--) stack[stack.length] = { node: nodes[i], context };
        return;
      }
    }
    if (tag === 'iframe' && element instanceof HTMLIFrameElement) {
      let frame = null;
      try { frame = frameDocument(element); } catch (_) { frame = null; }
      if (!frame || !frame.documentElement) {
        warn('a frame of another origin is not looked into');
        return;
      }
      apply(knownSet, frames, [frame, selectorOf(element)]);
      const rect = bounds(element);
      const dx = context.dx + rect.left + element.clientLeft;
      const dy = context.dy + rect.top + element.clientTop;
      const clip = cut(context.clip, { left: dx, top: dy, right: dx + element.clientWidth, bottom: dy + element.clientHeight });
      inner = { record: context.record, mute: false, transformed: context.transformed, dx, dy, svg: false, shapes: context.shapes, clip, clipFar: clip,
        cuts: NO_CUTS, cutsFar: NO_CUTS, opacity: context.opacity, disabled: false, cloaked: context.cloaked, fixed: context.fixed };
      source = frame;
    }
    const list = [];
    for (let child = firstChild(source); child; child = nextSibling(child)) list[list.length] = child;
    for (let i = list.length - 1; i >= 0; i--) stack[stack.length] = { node: list[i], context: inner };
  };

  // Boxes count from the document's corner, or from that of the locator's element.
  let startX = window.scrollX;
  let startY = window.scrollY;
  if (rootElement) {
    const rect = bounds(rootElement);
    startX = -rect.left;
    startY = -rect.top;
  }
  const start = {
    record: null, mute: false, transformed: false, dx: startX, dy: startY, svg: false,
    shapes: { left: options.shapeLimit }, clip: null, clipFar: null,
    cuts: NO_CUTS, cutsFar: NO_CUTS, opacity: 1, disabled: false, cloaked: false, fixed: false,
  };
  const stack = [{ node: rootElement || document.documentElement, context: start }];
  while (stack.length) {
    const item = stack[stack.length - 1];
    stack.length -= 1;
    visited += 1;
    if (visited > options.nodeLimit) {
      truncated = true;
      break;
    }
    const type = nodeType(item.node);
    if (type === 3) visitText(item.node, item.context);
    if (type !== 1) continue;
    let context = null;
    try {
      context = visitElement(item.node, item.context);
    } catch (problem) {
      warn('an element could not be read: ' + ('' + problem).slice(0, 200));
    }
    if (context) pushChildren(stack, item.node, context);
  }
  const factsText = (facts) => {
    let runs = '';
    for (let i = 0; i < facts.runs.length; i++) runs += (i ? ',' : '') + facts.runs[i];
    const text = (runs ? '"runs":[' + runs + ']' : '') + (runs && facts.text ? ',' : '') + facts.text;
    return text ? ',"facts":{' + text + '}' : '';
  };
  if (textBudget <= 0) truncated = true;
  for (let i = 0; i < records.length; i++) {
    const record = records[i];
    let own = record.own;
    let tail = '';
    if (record.direct && collapse(record.text)) {
      own = styleOf(record.textStyle, options.textNames, options.textDefaults, own);
      const font = usedFont(value(record.style, 'font-family'));
      let lines = '';
      for (let k = 0; k < record.lines.length; k++) lines += (k ? ',' : '') + record.lines[k];
      tail = ',"text":' + quote(collapse(record.text)) + ',"lines":[' + lines + ']'
        + ',"font":' + (font === null ? 'null' : quote(font));
    }
    elements += (i ? ',' : '') + '{' + record.head + ',"style":{' + own + '}' + tail + factsText(record.facts) + '}';
  }
  const scrolling = document.scrollingElement || document.documentElement;
  const whole = rootElement ? bounds(rootElement) : { width: scrolling.scrollWidth, height: scrolling.scrollHeight };
  const plainFonts = () => {
    let out = '';
    let kept = 0;
    try {
      document.fonts.forEach((face) => {
        if (kept++ < 200) out += (out ? ',' : '') + '[' + quote(('' + face.family).replace(/^["']|["']$/g, '').slice(0, 200)) + ',' + quote('' + face.status) + ']';
      });
    } catch (_) { out = ''; }
    return out;
  };
  const rootStyle = computed(document.documentElement);
  const bodyStyle = document.body ? computed(document.body) : rootStyle;
  const ruling = value(rootStyle, 'overflow-x') === 'visible' && value(rootStyle, 'overflow-y') === 'visible' ? bodyStyle : rootStyle;
  const reversed = value(rootStyle, 'direction') === 'rtl' || value(bodyStyle, 'direction') === 'rtl';
  const extent = [scrollWidth(scrolling), scrolling.scrollHeight];
  const facts = '{"viewport":[' + round(window.innerWidth) + ',' + round(window.innerHeight) + '],"scroll_size":['
    + round(extent[0]) + ',' + round(extent[1]) + '],"scroll":[' + round(window.scrollX) + ',' + round(window.scrollY)
    + '],"scrolls":' + !isHard(value(ruling, 'overflow-x')) + ',"left":' + (reversed ? round(Math.min(0, window.innerWidth - extent[0])) : 0)
    + ',"touch":' + touch + ',"whole":' + !rootElement + ',"fonts":[' + plainFonts() + ']}';
  let said = '';
  for (let i = 0; i < warnings.length; i++) said += (i ? ',' : '') + quote(warnings[i]);
  return '{"elements":[' + elements + '],"size":[' + round(whole.width) + ',' + round(whole.height) + ']'
    + ',"viewport":[' + round(window.innerWidth) + ',' + round(window.innerHeight) + ']'
    + ',"visited":' + visited + ',"truncated":' + truncated + ',"trusted":' + trusted
    + ',"page":' + facts + ',"warnings":[' + said + ']}';
}
