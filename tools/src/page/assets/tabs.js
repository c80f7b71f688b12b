// The views of an answer. A view gets the panel, the state and a function that asks the server.

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function svgOf(text) {
  const read = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  read.removeAttribute('style');
  for (const style of read.querySelectorAll('style,script')) style.remove();
  const svg = document.importNode(read, true);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'The nodes with the ranks in their cores; the table beside it says the same');
  return svg;
}

export const DARK = matchMedia('(prefers-color-scheme: dark)');

async function picture(panel, state, ask) {
  const look = {format: 'svg', dark: DARK.matches};
  const found = state.other.trim()
    ? await ask('diff', {line: state.line, other: state.other, ...look})
    : await ask('map', {line: state.line, ...look});
  if (!found?.ok) return;
  panel.replaceChildren(svgOf(found.text));
}

const ROW = 22, PIECE = 200, TALL = 8_000_000;

async function table(panel, state, ask, {plan, choose}) {
  const rows = plan.ranks;
  const box = element('div', undefined, {class: 'rows', role: 'table', 'aria-label': 'Ranks', 'aria-rowcount': rows + 1, tabindex: 0});
  const head = element('div', undefined, {class: 'head', role: 'row'});

  const space = element('div', undefined, {class: 'space', role: 'rowgroup'});
  const full = rows * ROW, tall = Math.min(full, TALL);
  space.style.height = tall + 'px';
  box.append(head, space);
  panel.replaceChildren(box);
  const pieces = new Map();
  const piece = async number => {
    if (!pieces.has(number)) {
      const first = number * PIECE, last = Math.min(rows, first + PIECE) - 1;
      pieces.set(number, ask('map', {line: state.line, format: 'tsv', ranks: `${first}-${last}`}, 'table').then(found => found?.ok ? found.text.trimEnd().split('\n') : null));
      if (pieces.size > 64) pieces.delete(pieces.keys().next().value);
    }
    return pieces.get(number);
  };
  let drawn = 0, at = 0;
  const draw = async () => {
    const own = ++drawn;
    const shown = Math.ceil(box.clientHeight / ROW);
    const room = Math.max(1, tall - box.clientHeight), share = Math.min(1, box.scrollTop / room);
    const first = Math.max(0, Math.min(rows - shown + 1, Math.round(share * (rows - shown + 1))));
    const made = [];
    for (let rank = first; rank < Math.min(rows, first + shown + 1); rank++) {
      const lines = await piece(Math.floor(rank / PIECE));
      if (own !== drawn || !lines) return;
      if (!head.children.length) for (const name of lines[0].slice(1).split('\t')) head.append(element('span', name, {role: 'columnheader'}));
      const line = element('div', undefined, {class: 'row', role: 'row', 'aria-rowindex': rank + 2, 'data-row': rank, 'data-rank': rank});
      if (rank === at) line.setAttribute('aria-current', 'true');
      line.style.top = box.scrollTop + (rank - first) * ROW + 'px';
      for (const cell of lines[1 + rank % PIECE].split('\t')) line.append(element('span', cell, {role: 'cell', title: cell}));
      line.addEventListener('click', () => choose(rank));
      made.push(line);
    }
    space.replaceChildren(...made);
  };
  box.addEventListener('scroll', () => requestAnimationFrame(draw));
  // Arrows go from row to row, Enter asks why the row's rank is there.
  box.addEventListener('keydown', event => {
    if (event.key === 'Enter') { choose(at); return; }
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    at = Math.max(0, Math.min(rows - 1, at + step));
    const numbers = [...space.children].map(line => Number(line.dataset.row));
    if (at <= numbers[0] || at >= numbers.at(-1) - 2) {
      const shown = Math.ceil(box.clientHeight / ROW);
      const first = step > 0 ? at - shown + 3 : at - 1;
      box.scrollTop = Math.max(0, first) / Math.max(1, rows - shown + 1) * Math.max(1, tall - box.clientHeight);
    }
    draw();
  });
  await draw();
}

async function why(panel, state, ask, {change}) {
  const field = element('input', undefined, {id: 'ask-rank', inputmode: 'numeric', size: 10});
  field.value = state.rank;
  const label = element('label', 'Rank ');
  label.append(field);
  field.addEventListener('change', () => change({rank: Math.max(0, parseInt(field.value, 10) || 0)}));
  const found = await ask('explain', {line: state.line, rank: state.rank});
  if (!found) return;
  const parts = [label];
  for (const answer of found.answers ?? []) {
    if (answer.refused) parts.push(element('p', answer.refused.message));
    if (answer.rank !== undefined) parts.push(element('h2', `rank ${answer.rank} on ${answer.node}, local rank ${answer.local_rank}, cpus ${answer.cpus ?? '-'}`));
    const list = element('ul');
    for (const sentence of answer.why ?? []) list.append(element('li', sentence));
    for (const word of answer.words ?? []) list.append(element('li', `${word.option} ${word.value}`));
    parts.push(list);
    if (answer.instead) parts.push(element('p', `instead: ${answer.instead.change} puts it on ${answer.instead.node}, cpus ${answer.instead.cpus ?? '-'}`));
  }
  panel.replaceChildren(...parts);
}

async function score(panel, state, ask, {change}) {
  const field = element('input', undefined, {id: 'pattern', size: 24});
  field.value = state.pattern;
  const label = element('label', 'Who talks to whom ');
  label.append(field);
  field.addEventListener('change', () => change({pattern: field.value}));
  const found = await ask('score', {line: state.line, pattern: state.pattern});
  if (!found) return;
  if (!found.ok) { panel.replaceChildren(label, element('p', found.error.message)); return; }
  const made = element('table');
  const top = element('tr');
  for (const name of ['level', 'leave', 'worst']) top.append(element('th', name, {scope: 'col'}));
  made.append(element('caption', `${found.score.edges} ${found.score.unit}`), top);
  for (const level of found.score.levels) {
    const line = element('tr');
    line.append(element('th', level.level, {scope: 'row'}), element('td', level.leave), element('td', level.worst));
    made.append(line);
  }
  panel.replaceChildren(label, made);
}

async function threads(panel, state, ask, {plan}) {
  const parts = [];
  for (const group of plan.threads ?? []) {
    parts.push(element('h2', `${group.runtime}: ${group.number} threads on ${group.mask ?? 'the node'}, ${group.ranks} ranks from rank ${group.first_rank}`));
    const made = element('table');
    const top = element('tr');
    for (const name of ['thread', 'place', 'cpus']) top.append(element('th', name, {scope: 'col'}));
    made.append(top);
    for (const thread of group.threads ?? []) {
      const line = element('tr');
      for (const name of ['thread', 'place', 'cpus']) line.append(element('td', thread[name] ?? '-'));
      made.append(line);
    }
    parts.push(made);
  }
  if (plan.threads_more) parts.push(element('p', `and ${plan.threads_more} more`));
  if (!parts.length) parts.push(element('p', 'The line says nothing about threads: -x OMP_NUM_THREADS=7 says how many each rank starts.'));
  panel.replaceChildren(...parts);
}

async function launchers(panel, state, ask) {
  const found = await ask('export', {line: state.line});
  if (!found?.ok) return;
  const all = found.exports ?? [{dialect: found.dialect, ok: true, text: found.text}];
  panel.replaceChildren(...all.flatMap(said => {
    const head = element('h2', said.dialect);
    if (!said.ok) return [head, element('p', 'cannot say it: ' + said.why)];
    const text = element('pre', said.text, {tabindex: 0});
    const copy = element('button', 'Copy', {type: 'button', 'aria-label': `Copy the words of ${said.dialect}`});
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(said.text);
      copy.textContent = 'Copied';
    });
    return [head, text, copy];
  }));
}

async function moved(panel, state, ask) {
  if (!state.other.trim()) { panel.replaceChildren(element('p', 'Type a second line to see what moves.')); return; }
  const found = await ask('diff', {line: state.line, other: state.other});
  if (!found) return;
  const lines = found.ok ? found.lines : [found.error.message, ...found.error.help];
  panel.replaceChildren(element('pre', lines.join('\n'), {tabindex: 0}));
}

export const TABS = {picture, table, why, score, threads, launchers, diff: moved};
