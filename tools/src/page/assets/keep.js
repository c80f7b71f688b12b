// What the address keeps, and files that one saves.

const FIRST = {line: "--topo builtin:frontier -H 'n[0-3]:56' srun -N4 -n32 -c7 --gpus-per-task=1 ./app", other: '', tab: 'picture', files: {}, pattern: 'ring', rank: 0};
const VIEWS = ['picture', 'table', 'why', 'score', 'threads', 'launchers', 'diff'];

// What a link says, as far as it is what this page writes.
function checked(state) {
  const texts = files => typeof files === 'object' && files !== null && !Array.isArray(files) && Object.values(files).every(text => typeof text === 'string');
  const text = value => typeof value === 'string';
  const is = {line: text, other: text, pattern: text, tab: value => VIEWS.includes(value), files: texts, rank: value => Number.isSafeInteger(value) && value >= 0};
  return Object.fromEntries(Object.entries(FIRST).map(([name, first]) => [name, is[name](state?.[name]) ? state[name] : first]));
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function kept() {
  const hash = location.hash.slice(1);
  if (!hash) return {...FIRST};
  try {
    const bytes = Uint8Array.from(atob(hash.replaceAll('-', '+').replaceAll('_', '/')), sign => sign.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), bytes)));
    return checked(state);
  } catch {
    return {...FIRST};
  }
}

export async function keep(state) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(state)));
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  history.replaceState(null, '', '#' + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''));
}

export function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The picture as the browser has drawn it: boxes, lines and texts, with their computed colours.
export function png(svg) {
  const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
  const canvas = document.createElement('canvas');
  const scale = Math.min(2, 8192 / Math.max(width, height));
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  const draw = element => {
    const style = getComputedStyle(element);
    pen.save();
    const moved = /translate\(([\d.-]+)[ ,]+([\d.-]+)\)/.exec(element.getAttribute('transform') ?? '');
    if (moved) pen.translate(Number(moved[1]), Number(moved[2]));
    const number = name => Number(element.getAttribute(name) ?? 0);
    let path = null;
    if (element.tagName === 'rect') { path = new Path2D(); path.rect(number('x'), number('y'), number('width'), number('height')); }
    if (element.tagName === 'path') path = new Path2D(element.getAttribute('d'));
    if (element.tagName === 'circle') { path = new Path2D(); path.arc(number('cx'), number('cy'), number('r'), 0, 7); }
    if (path && style.fill !== 'none') { pen.fillStyle = style.fill; pen.fill(path); }
    if (path && style.stroke !== 'none') {
      pen.strokeStyle = style.stroke;
      pen.lineWidth = parseFloat(style.strokeWidth);
      pen.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat));
      pen.stroke(path);
    }
    if (element.tagName === 'text') {
      pen.fillStyle = style.fill;
      pen.font = style.fontWeight + ' ' + style.fontSize + ' ' + style.fontFamily;
      pen.textAlign = style.textAnchor === 'middle' ? 'center' : 'left';
      pen.fillText(element.textContent, number('x'), number('y'));
    } else for (const child of element.children) draw(child);
    pen.restore();
  };
  draw(svg);
  return new Promise(done => canvas.toBlob(done, 'image/png'));
}
