// By what the page shows each text of a design, as one JSON text: "text", "picture", "canvas",
// "frame", "drawing" or "none". Called with the texts' boxes in the viewport. Runs in a world that
// page scripts do not reach, and leaves the page as it was.
async (boxes) => {
  'use strict';
  const SEE_THROUGH = ' multiply screen overlay soft-light darken lighten color-dodge color-burn difference exclusion ';
  const FAINT = 0.2, SOLID = 0.5, SLACK = 4, LEAST_FONT = 4;
  const KIND = {
    img: 'picture', picture: 'picture', image: 'picture', video: 'picture', object: 'picture',
    embed: 'picture', canvas: 'canvas', iframe: 'frame', path: 'drawing', rect: 'drawing',
    use: 'drawing', polygon: 'drawing', circle: 'drawing', ellipse: 'drawing', svg: 'drawing',
  };
  // Named elements hide properties of the document and of forms, in every world: the prototypes' own.
  const getter = (owner, name) => {
    const found = Object.getOwnPropertyDescriptor(owner.prototype, name).get;
    return (self) => Reflect.apply(found, self, []);
  };
  const method = (owner, name) => {
    const found = owner.prototype[name];
    return (self, ...words) => Reflect.apply(found, self, words);
  };
  const nameOf = getter(Element, 'localName');
  const shadowOf = getter(Element, 'shadowRoot');
  const hostOf = getter(ShadowRoot, 'host');
  const parentIn = getter(Node, 'parentElement');
  const rootOf = method(Node, 'getRootNode');
  const ownerOf = getter(Node, 'ownerDocument');
  const firstIn = getter(Node, 'firstChild');
  const nextOf = getter(Node, 'nextSibling');
  const boundsOf = method(Element, 'getBoundingClientRect');
  const attributeOf = method(Element, 'getAttribute');
  const frameOf = getter(HTMLIFrameElement, 'contentDocument');
  const leftIn = getter(Element, 'clientLeft');
  const topIn = getter(Element, 'clientTop');
  const inDocument = method(Document, 'elementsFromPoint');
  const inShadow = method(ShadowRoot, 'elementsFromPoint');
  const create = method(Document, 'createElement');
  const makeRange = method(Document, 'createRange');
  // The sheets of a document: an accessor of Document, or of the mixin that it is made of.
  const sheets = Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets');
  const styles = new Map();
  const styleOf = (element) => {
    let found = styles.get(element);
    if (!found) styles.set(element, (found = getComputedStyle(element)));
    return found;
  };
  const parentOf = (element) => parentIn(element)
    || (rootOf(element) instanceof ShadowRoot ? hostOf(rootOf(element)) : null);
  const opacities = new Map();
  const opacityOf = (element) => {
    if (!element) return 1;
    let found = opacities.get(element);
    if (found === undefined) {
      const own = parseFloat(styleOf(element).opacity);
      const filtered = /opacity\(([\d.]+)(%?)\)/.exec(styleOf(element).filter);
      const filter = filtered ? filtered[1] / (filtered[2] ? 100 : 1) : 1;
      found = (own === own ? own : 1) * filter * opacityOf(parentOf(element));
      opacities.set(element, found);
    }
    return found;
  };
  const alphaOf = (color) => {
    const found = /^rgba\(.*,\s*([\d.]+)\)$/.exec(color) || /\/\s*([\d.]+)(%?)\)$/.exec(color);
    if (color === 'transparent') return 0;
    return found ? found[1] / (found[2] ? 100 : 1) : 1;
  };
  const inked = (style) => {
    if (parseFloat(style.fontSize) < LEAST_FONT || style.visibility !== 'visible') return false;
    if (style.webkitBackgroundClip === 'text' || style.backgroundClip === 'text') return true;
    return alphaOf(style.webkitTextFillColor || style.color) >= FAINT;
  };
  const covers = (rect, x, y) => x >= rect.left - SLACK && x <= rect.right + SLACK
    && y >= rect.top - SLACK && y <= rect.bottom + SLACK && rect.height >= LEAST_FONT;
  const range = new Map();
  const rectsOf = (node) => {
    const owner = ownerOf(node);
    if (!range.has(owner)) range.set(owner, makeRange(owner));
    range.get(owner).selectNodeContents(node);
    return range.get(owner).getClientRects();
  };
  const hasText = (element, x, y) => {
    const style = styleOf(element);
    const svg = element instanceof SVGElement;
    if (!svg && !inked(style)) return false;
    if (svg && (style.fill === 'none' || alphaOf(style.fill) < FAINT || style.visibility !== 'visible')) return false;
    const tag = nameOf(element);
    if (tag === 'input' || tag === 'textarea' || tag === 'select') return !!(element.value || element.placeholder);
    for (let node = firstIn(element); node; node = nextOf(node)) {
      if (node.nodeType !== 3 || !node.nodeValue.trim()) continue;
      const rects = rectsOf(node);
      for (let i = 0; i < rects.length && i < 200; i++) if (covers(rects[i], x, y)) return true;
    }
    for (const name of ['::before', '::after']) {
      const pseudo = getComputedStyle(element, name);
      if (/^"[^"]*\S[^"]*"/.test(pseudo.content) && inked(pseudo)) return true;
    }
    return false;
  };
  const paints = (value) => /url\(|image-set\(|paint\(|element\(/.test(value || '');
  const layersOf = (style) => [style.backgroundImage, style.borderImageSource, style.webkitMaskImage || style.maskImage]
    .filter(paints);
  const pictureOf = (element, box) => {
    const style = styleOf(element);
    if (style.visibility !== 'visible') return null;
    const kind = KIND[nameOf(element)];
    if (kind) return { kind, style, url: '' + (element.currentSrc || attributeOf(element, 'src') || attributeOf(element, 'poster') || ''), element };
    const own = layersOf(style);
    if (paints(style.content)) own.push(style.content);
    if (own.length) return { kind: 'picture', style, url: own[0], element };
    for (const name of ['::before', '::after']) {
      const pseudo = getComputedStyle(element, name);
      if (pseudo.content === 'none' || pseudo.content === 'normal' || pseudo.display === 'none') continue;
      const layers = layersOf(pseudo);
      if (paints(pseudo.content)) layers.push(pseudo.content);
      const size = parseFloat(pseudo.width) * parseFloat(pseudo.height);
      if (layers.length && !(size < box[2] * box[3] * 0.5) && parseFloat(pseudo.opacity) >= SOLID) {
        return { kind: 'picture', style: pseudo, url: layers[0], element, pseudo: true };
      }
    }
    return null;
  };
  // A fine texture, or a picture that one sees through, hides no text.
  const looked = new Map();
  const isVeil = async (picture) => {
    if (SEE_THROUGH.indexOf(' ' + picture.style.mixBlendMode + ' ') >= 0) return true;
    const found = /^url\("?(.*?)"?\)$/.exec(picture.url);
    const url = found ? found[1] : picture.url;
    if (picture.kind !== 'picture' || !url || /^(video|object|embed)$/.test(nameOf(picture.element))) return false;
    const rect = boundsOf(picture.element);
    const key = url + rect.width + picture.style.backgroundRepeat;
    if (!looked.has(key)) looked.set(key, await look(url, picture, rect));
    return looked.get(key);
  };
  const look = async (url, picture, rect) => {
    const image = new Image();
    image.src = url;
    try {
      await Promise.race([image.decode(), new Promise((_, no) => setTimeout(no, 500))]);
    } catch (_) { return false; }
    const background = picture.style.backgroundImage.indexOf('url(') >= 0 && !KIND[nameOf(picture.element)];
    const tiled = background && /repeat(?!-)|round|space/.test(picture.style.backgroundRepeat.replace('no-repeat', ''))
      && picture.style.backgroundSize === 'auto';
    if (tiled && image.naturalWidth < rect.width * 0.6 && image.naturalHeight < rect.height * 0.6) return true;
    try {
      const canvas = create(document, 'canvas');
      canvas.width = canvas.height = 16;
      const pen = canvas.getContext('2d');
      pen.drawImage(image, 0, 0, 16, 16);
      const data = pen.getImageData(0, 0, 16, 16).data;
      let sum = 0;
      for (let i = 3; i < data.length; i += 4) sum += data[i];
      return sum / (255 * 256) < SOLID;
    } catch (_) { return false; }
  };
  const stackAt = (root, x, y, depth) => {
    const found = [];
    const here = root instanceof ShadowRoot ? inShadow(root, x, y) : inDocument(root, x, y);
    for (const element of here) {
      if (rootOf(element) !== root) continue;
      if (depth < 8) {
        let inner = null;
        try { inner = nameOf(element) === 'iframe' ? frameOf(element) : null; } catch (_) { inner = null; }
        if (shadowOf(element)) found.push(...stackAt(shadowOf(element), x, y, depth + 1));
        if (inner) {
          const rect = boundsOf(element);
          const left = rect.left + leftIn(element), top = rect.top + topIn(element);
          for (const [one, dx, dy] of stackAt(inner, x - left, y - top, depth + 1)) found.push([one, dx + left, dy + top]);
          continue;
        }
      }
      found.push([element, 0, 0]);
    }
    return found;
  };
  const names = new Map();
  // Text that lies on a picture may be a fig leaf: the words may be in the picture already.
  const liesOn = async (below, box) => {
    for (const [element] of below) {
      if (opacityOf(element) < SOLID) continue;
      const picture = pictureOf(element, box);
      if (picture && !(await isVeil(picture))) return true;
      if (alphaOf(styleOf(element).backgroundColor) >= 0.95) return false;
    }
    return false;
  };
  const shownAt = async (x, y, box) => {
    const stack = stackAt(document, x, y, 0);
    for (let i = 0; i < stack.length; i++) {
      const [element, dx, dy] = stack[i];
      const opacity = opacityOf(element);
      if (opacity >= FAINT && hasText(element, x - dx, y - dy)) {
        const own = layersOf(styleOf(element)).length ? [stack[i]] : [];
        return await liesOn([...own, ...stack.slice(i + 1)], box) ? 'text on a picture' : 'text';
      }
      if (opacity < SOLID) continue;
      const picture = pictureOf(element, box);
      if (!picture || await isVeil(picture)) continue;
      names.set(element, (names.get(element) || 0) + 1);
      return picture.kind;
    }
    return 'none';
  };
  const pointsOf = ([x, y, w, h]) => {
    const points = [];
    const rows = h > 44 ? [0.2, 0.5, 0.8] : [0.5];
    const columns = h > 44 ? [0.05, 0.25, 0.5, 0.75, 0.95] : [0.05, 0.15, 0.25, 0.4, 0.5, 0.6, 0.75, 0.85, 0.95];
    for (const down of rows) for (const across of columns) points.push([x + w * across, y + h * down]);
    return points;
  };
  const shownBy = async (box) => {
    const counts = {};
    const points = pointsOf(box);
    for (const [x, y] of points) {
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return 'outside';
      const kind = await shownAt(x, y, box);
      if (kind === 'text' || kind === 'text on a picture') return kind;
      counts[kind] = (counts[kind] || 0) + 1;
    }
    for (const kind in counts) if (counts[kind] >= points.length * 0.6) return kind;
    return 'none';
  };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { pointer-events: auto !important; }');
  const before = [...Reflect.apply(sheets.get, document, [])];
  Reflect.apply(sheets.set, document, [[...before, sheet]]);
  try {
    const found = [];
    for (const box of boxes) found.push(await shownBy(box));
    let most = null, count = 0;
    for (const [element, times] of names) if (times > count) { most = element; count = times; }
    const id = most ? attributeOf(most, 'id') : null;
    const first = most ? (attributeOf(most, 'class') || '').trim().split(/\s+/)[0] : '';
    const name = most ? nameOf(most) + (id ? '#' + id : first ? '.' + first : '') : '';
    return JSON.stringify({ found, name });
  } finally {
    Reflect.apply(sheets.set, document, [before]);
  }
}
