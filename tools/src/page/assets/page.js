// The page: a line, a form that says the same, and views of the answer.

import {FIELDS, read, write} from './words.js';
import {kept, keep, save, png} from './keep.js';
import {DARK, TABS} from './tabs.js';

const of = id => document.getElementById(id);
const line = of('line'), other = of('other'), panel = of('panel'), told = of('told');
const NAMES = {picture: 'Picture', table: 'Table', why: 'Why', score: 'Score', threads: 'Threads', launchers: 'Launchers', diff: 'Diff'};
let state = await kept();
let plan = null;

// One question of a kind at a time: an older one is given up.
const asking = new Map();
async function ask(question, body, kind = question + (body.format ?? '')) {
  asking.get(kind)?.abort();
  const control = new AbortController();
  if (kind !== 'table') asking.set(kind, control);
  try {
    for (;;) {
      const said = await fetch('v1/' + question, {method: 'POST', signal: control.signal, headers: {'content-type': 'application/json'}, body: JSON.stringify({...body, files: state.files})});
      if (said.status !== 429) return await said.json();
      await new Promise(done => setTimeout(done, 50));
    }
  } catch (error) {
    if (error.name !== 'AbortError') told.textContent = 'the server does not answer: stowplan page was ended';
    return null;
  }
}

function refuse(error) {
  const box = of('refused');
  box.hidden = !error;
  line.setAttribute('aria-invalid', String(Boolean(error)));
  of('remedies').replaceChildren();
  if (!error) { box.textContent = ''; return; }
  const parts = [`error[${error.class}]: ${error.message}`];
  const at = error.at[0];
  if (at) {
    const signs = Array.from(state.line.replaceAll('\n', ' '));
    const from = Math.max(0, at.start - 16);
    parts.push('  ' + signs.slice(from, from + 48).join(''), '  ' + ' '.repeat(at.start - from) + '^'.repeat(Math.max(1, Math.min(32, at.end - at.start))));
    line.dataset.at = at.start + '-' + at.end;
  }
  parts.push(...error.help.map(help => 'help: ' + help));
  box.textContent = parts.join('\n');
  for (const remedy of error.remedies) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = remedy.change;
    button.title = remedy.line;
    button.addEventListener('click', () => { line.value = remedy.line; change({line: remedy.line}); line.focus(); });
    of('remedies').append(button);
  }
}

async function show() {
  const own = state;
  const found = await ask('map', {line: state.line, format: 'json'});
  if (!found || own !== state) return;
  refuse(found.ok ? null : found.error);
  if (!found.ok) { await refused(); return; }
  plan = found.plan;
  of('summary').textContent = `${plan.ranks} ranks on ${plan.nodes.count} nodes, by the rules of ${plan.launcher?.name ?? 'prte'} ${plan.launcher?.version ?? ''}`;
  of('notes').replaceChildren(...found.notes.map(note => Object.assign(document.createElement('li'), {textContent: `${note.class}: ${note.text}`})));
  await view();
}

// The last view stays while one types; another one has nothing to show.
async function refused() {
  of('summary').textContent = 'refused';
  of('notes').replaceChildren();
  mark();
  if (state.tab === 'why') await view();
  else if (panel.dataset.shows !== state.tab) panel.replaceChildren(Object.assign(document.createElement('p'), {textContent: 'The line is refused: what stands under it says why.'}));
}

function mark() {
  for (const tab of of('tabs').children) {
    const is = tab.dataset.tab === state.tab;
    tab.setAttribute('aria-selected', String(is));
    tab.tabIndex = is ? 0 : -1;
  }
  panel.setAttribute('aria-labelledby', 'tab-' + state.tab);
}

async function view() {
  mark();
  panel.dataset.shows = state.tab;
  if (plan || state.tab === 'why') await TABS[state.tab](panel, state, ask, {plan: plan ?? {ranks: 0}, change, choose});
}

function choose(rank) { change({rank, tab: 'why'}); }

let later = 0;
function change(what) {
  state = {...state, ...what};
  form();
  clearTimeout(later);
  later = setTimeout(() => keep(state), 200);
  return show();
}

function form() {
  for (const field of FIELDS) if (document.activeElement !== of(field)) of(field).value = read(state.line, field);
}

async function take(file) {
  if (!file) return;
  const text = await file.text();
  const name = file.name.replace(/[^\w.-]/g, '_') || 'file';
  const files = {...state.files, [name]: text};
  of('files').textContent = `${name}: ${text.length} bytes`;
  const start = text.trimStart().slice(0, 400);
  const field = start.startsWith('<') ? 'topo' : /^(SwitchName|BlockName|---)/m.test(start) ? 'network' : null;
  const told = field ? write(state.line, field, name) : (read(state.line, 'hosts') ? state.line : `--hostfile ${name} ${state.line}`);
  line.value = told;
  await change({files, line: told});
}

for (const [name, label] of Object.entries(NAMES)) {
  const tab = Object.assign(document.createElement('button'), {type: 'button', id: 'tab-' + name, textContent: label});
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-controls', 'panel');
  tab.dataset.tab = name;
  tab.addEventListener('click', () => change({tab: name}));
  of('tabs').append(tab);
}
of('tabs').addEventListener('keydown', event => {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step) return;
  const names = Object.keys(NAMES);
  const next = names[(names.indexOf(state.tab) + step + names.length) % names.length];
  of('tab-' + next).focus();
  change({tab: next});
});
line.addEventListener('input', () => change({line: line.value}));
other.addEventListener('input', () => change({other: other.value}));
for (const field of FIELDS) of(field).addEventListener('input', () => { line.value = write(state.line, field, of(field).value.trim()); change({line: line.value}); });
of('form').addEventListener('submit', event => event.preventDefault());
of('file').addEventListener('change', event => take(event.target.files[0]));
document.addEventListener('dragover', event => { event.preventDefault(); document.body.classList.add('over'); });
document.addEventListener('dragleave', () => document.body.classList.remove('over'));
document.addEventListener('drop', event => { event.preventDefault(); document.body.classList.remove('over'); take(event.dataTransfer.files[0]); });
panel.addEventListener('pointerover', event => {
  const title = event.target.closest('g,rect,circle')?.querySelector(':scope > title') ?? event.target.closest('g')?.querySelector('title');
  const device = event.target.closest('[data-gpu],[data-nic]')?.dataset;
  const shape = event.target.closest('[data-shape]')?.dataset;
  if (title) told.textContent = title.textContent;
  else if (device) told.textContent = device.gpu ?? device.nic;
  else if (shape) told.textContent = `shape ${shape.shape}: ${shape.hosts}`;
});
panel.addEventListener('click', event => {
  const rank = event.target.closest('svg [data-rank]')?.dataset.rank;
  if (rank !== undefined) choose(Number(rank));
});
of('save').addEventListener('click', async () => {
  const kind = of('saved').value;
  const text = (content, type) => new Blob([content], {type});
  if (kind === 'plan') { const found = await ask('map', {line: state.line, format: 'json'}, 'save'); if (found?.ok) save('plan.json', text(JSON.stringify(found.plan), 'application/json')); return; }
  if (kind !== 'png') { const found = await ask('map', {line: state.line, format: kind}, 'save'); if (found?.ok) save('plan.' + kind, text(found.text, kind === 'svg' ? 'image/svg+xml' : 'text/tab-separated-values')); return; }
  await change({tab: 'picture'});
  const svg = panel.querySelector('svg');
  if (svg) save('plan.png', await png(svg));
});
DARK.addEventListener('change', () => view());
addEventListener('hashchange', async () => { state = await kept(); start(); });

function start() {
  line.value = state.line;
  other.value = state.other;
  form();
  return show();
}
for (const name of ['here', 'builtin:frontier', 'builtin:lumi-g', 'builtin:perlmutter-cpu', 'builtin:elcap', 'builtin:aurora', 'package:2 core:32 pu:2']) of('machines').append(Object.assign(document.createElement('option'), {value: name}));
await start();
document.body.dataset.ready = 'yes';
