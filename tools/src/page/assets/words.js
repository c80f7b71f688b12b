// The words of a line, and its options as a form: each edits the other.

const OPTIONS = {
  topo: ['--topo'], hosts: ['--host', '-H', '-host'], network: ['--network'],
  np: ['-n', '-np', '--np', '-c', '--n'], map: ['--map-by', '--mapby'], rank: ['--rank-by', '--rankby'], bind: ['--bind-to', '--bindto'], env: ['-x', '--x'],
};
const WRITTEN = {topo: '--topo', hosts: '-H', network: '--network', np: '-n', map: '--map-by', rank: '--rank-by', bind: '--bind-to', env: '-x'};
const LAUNCHER = /^(?:.*\/)?(srun|prterun|prun|mpirun|mpiexec|orterun|mpiexec\.hydra|mpiexec\.mpich|flux|aprun|jsrun)$/;

// The words with their place: text, start, end.
export function split(line) {
  const words = [];
  let at = 0;
  while (at < line.length) {
    while (at < line.length && /\s/.test(line[at])) at++;
    if (at >= line.length) break;
    const start = at;
    let text = '', quote = '';
    for (; at < line.length; at++) {
      const sign = line[at];
      if (!quote && /\s/.test(sign)) break;
      if (quote ? sign === quote : sign === '"' || sign === "'") { quote = quote ? '' : sign; continue; }
      if (sign === '\\' && quote !== "'" && at + 1 < line.length) { text += line[++at]; continue; }
      text += sign;
    }
    words.push({text, start, end: at});
  }
  return words;
}

export function quoted(word) {
  return /^[\w@%+=:,.\/[\]-]+$/.test(word) && !/[[\]]/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

function launcherAt(words) {
  return words.findIndex((word, at) => LAUNCHER.test(word.text) && (at === 0 || !OPTIONS_WITH_VALUE.has(words[at - 1].text)));
}
const OPTIONS_WITH_VALUE = new Set([...Object.values(OPTIONS).flat(), '--as', '--alloc', '--site', '--granted', '--env']);

// Where an option of the form is in the line: its word and its value.
function find(line, field) {
  const words = split(line);
  const launcher = launcherAt(words);
  const ours = ['topo', 'hosts', 'network'].includes(field) && launcher >= 0 ? words.slice(0, launcher) : words;
  for (let at = 0; at < ours.length; at++) {
    for (const name of OPTIONS[field]) {
      if (ours[at].text === name && ours[at + 1]) return {value: ours[at + 1].text, start: ours[at + 1].start, end: ours[at + 1].end, from: ours[at].start};
      if (name.startsWith('--') && ours[at].text.startsWith(name + '=')) {
        const value = ours[at].text.slice(name.length + 1);
        return {value, start: ours[at].start + name.length + 1, end: ours[at].end, from: ours[at].start};
      }
    }
  }
  return null;
}

export function read(line, field) {
  return find(line, field)?.value ?? '';
}

// The line with a field's value: put, changed or taken out.
export function write(line, field, value) {
  const found = find(line, field);
  if (found && value) return line.slice(0, found.start) + quoted(value) + line.slice(found.end);
  if (found) return (line.slice(0, found.from) + line.slice(found.end)).replace(/\s{2,}/g, ' ').trim();
  if (!value) return line;
  const put = WRITTEN[field] + ' ' + quoted(value);
  const words = split(line);
  const launcher = launcherAt(words);
  if (launcher < 0 || ['topo', 'hosts', 'network'].includes(field)) return (put + ' ' + line).trim();
  const end = words[launcher + (words[launcher].text.endsWith('flux') ? 1 : 0)]?.end ?? line.length;
  return line.slice(0, end) + ' ' + put + line.slice(end);
}

export const FIELDS = Object.keys(OPTIONS);
